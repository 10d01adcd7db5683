import WebSocket

/// Response for a wrong link: a page in the app's style for browsers, one line for other clients.
///
/// A typed address and a followed link that fit no page of the web app reach the server and get this page. Where the app itself goes to
/// such a path, it shows a page of its own, `shell/missing.js`.
enum ErrorPage {
    static func notFound(_ request: HTTPRequest) -> HTTPResponse {
        var response = HTTPResponse.plain(404, "there is nothing at this address")
        // RFC 9110 §12.5.5: the response depends on Accept.
        response.headers.set("Vary", "Accept")
        guard HTTPNegotiation.names("text/html", in: request.headers) else { return response }
        response.body = page
        response.headers.set("Content-Type", "text/html; charset=utf-8")
        return response
    }

    /// The page contains no part of the request.
    private static let page = Array(
        page(
            title: "Page not found",
            content: """
                <p class="muted">Check the address for typos. The page may also have been removed.</p>
                <a class="button primary" href="/">Go to start page</a>
                """
        ).utf8)

    /// A page in the app's style. Its only script sets the stored theme.
    ///
    /// The files that it links have the same addresses in a release: `Tests/WebTests/shell/serverpage.test.js` looks for them in a bundle.
    /// - Parameter content: HTML.
    static func page(title: String, content: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
          <meta charset="utf-8">
          <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
          <meta name="color-scheme" content="light dark">
          <meta name="robots" content="noindex">
          <title>\(title) · Campanile</title>
          <link rel="icon" href="/app/assets/icon.svg" type="image/svg+xml">
          <script src="/app/shell/serverpage.js"></script>
          <link rel="stylesheet" href="/app/shell/serverpage.css">
        </head>
        <body>
          <header class="bar">
            <a class="brand" href="/"><img src="/app/assets/icon.svg" alt="" width="30" height="30"><span>Campanile</span></a>
          </header>
          <main id="view">
            <div class="page">
              <div class="empty">
                <h1>\(title)</h1>
                \(content)
              </div>
            </div>
          </main>
        </body>
        </html>

        """
    }
}
