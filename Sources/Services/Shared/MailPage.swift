/// Text of a mail in its plain and its HTML version.
struct MailPage: Sendable {
    /// A link with its label.
    struct Link: Sendable {
        let label: String
        let url: String
    }

    /// Small print at the end.
    struct Foot: Sendable {
        let text: String
        var link: Link?
    }

    let title: String
    let paragraphs: [String]
    /// The link that the mail is about, as a button.
    var button: Link?
    var foot: Foot?

    var plain: String {
        var text = ([title] + paragraphs).joined(separator: "\n\n") + "\n"
        if let button { text += "\n\(button.label): \(button.url)\n" }
        if let foot {
            text += "\n-- \n\(foot.text)\n"
            if let link = foot.link { text += "\(link.label): \(link.url)\n" }
        }
        return text
    }

    /// HTML version. It loads no external resources, which would reveal whether the mail was read, and escapes all text.
    var html: String {
        let body = paragraphs.map { "<p>\(Markup.escaped($0))</p>" }.joined(separator: "\n")
        let button =
            button.map {
                "<p style=\"margin:24px 0\"><a class=\"b\" href=\"\(Markup.escaped($0.url))\">"
                    + "\(Markup.escaped($0.label))</a></p>"
            } ?? ""
        let foot =
            foot.map { foot in
                let link =
                    foot.link.map { " <a href=\"\(Markup.escaped($0.url))\">\(Markup.escaped($0.label))</a>" } ?? ""
                return "<p class=\"f\">\(Markup.escaped(foot.text))\(link)</p>"
            } ?? ""
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="supported-color-schemes" content="light dark">
            <title>\(Markup.escaped(title))</title>
            <style>
            :root { color-scheme: light dark; }
            body { margin: 0; padding: 24px; background: #ffffff; color: #1c1917; font: 16px/1.5 system-ui, sans-serif; }
            main { max-width: 560px; margin: 0 auto; }
            h1 { font-size: 20px; line-height: 1.3; margin: 0 0 12px; }
            a { color: #1d4ed8; }
            a.b {
              display: inline-block; padding: 10px 18px; border-radius: 8px; background: #1d4ed8; color: #ffffff; text-decoration: none;
            }
            .f { margin-top: 32px; font-size: 13px; color: #57534e; }
            @media (prefers-color-scheme: dark) {
              body { background: #1c1917; color: #f5f5f4; }
              a { color: #93c5fd; }
              .f { color: #a8a29e; }
            }
            </style>
            </head>
            <body><main>
            <h1>\(Markup.escaped(title))</h1>
            \(body)
            \(button)\(foot)
            </main></body>
            </html>

            """
    }
}
