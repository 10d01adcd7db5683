// The pages of chats, as shell/pages.js describes them.

export const pages = [
  { name: "chats", path: "/chats", title: "Chats", tab: "chats", load: () => import("./chats.js") },
  { name: "chatsettings", path: "/chats/settings", title: "Chat settings", tab: "chats", load: () => import("./settings.js") },
  { name: "conversation", path: "/chats/:id", title: "Chat", tab: "chats", load: () => import("./chats.js") },
];
