// CampanileClient
