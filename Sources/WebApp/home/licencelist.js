// The software that Campanile contains, is linked with or runs. A test compares it with Package.swift and deploy/Dockerfile. No DOM.

/**
 * Each is `{name, use, licence, url, packages}`: `licence` is an SPDX expression, `url` its text, `packages` the names of the packages that
 * bring it.
 */
export const licences = [
  { name: "Swift runtime and Foundation", use: "Contained in the server", licence: "Apache-2.0 WITH Swift-exception",
    url: "https://www.swift.org/LICENSE.txt", packages: [] },
  { name: "Swift Argument Parser", use: "Contained in the server", licence: "Apache-2.0 WITH Swift-exception",
    url: "https://github.com/apple/swift-argument-parser/blob/main/LICENSE.txt", packages: ["swift-argument-parser"] },
  { name: "Swift Collections", use: "Contained in the server", licence: "Apache-2.0 WITH Swift-exception",
    url: "https://github.com/apple/swift-collections/blob/main/LICENSE.txt", packages: ["swift-collections"] },
  { name: "SwiftLog", use: "Contained in the server", licence: "Apache-2.0",
    url: "https://github.com/apple/swift-log/blob/main/LICENSE.txt", packages: ["swift-log"] },
  { name: "OpenSSL", use: "Encrypts connections", licence: "Apache-2.0", url: "https://www.openssl.org/source/license.html",
    packages: ["libssl-dev", "libssl3"] },
  { name: "libpq", use: "Speaks to the database", licence: "PostgreSQL", url: "https://www.postgresql.org/about/licence/",
    packages: ["libpq-dev", "libpq5"] },
  { name: "zlib", use: "Compresses messages", licence: "Zlib", url: "https://zlib.net/zlib_license.html",
    packages: ["zlib1g-dev", "zlib1g"] },
  { name: "NATS client (nats.c)", use: "Connects several servers", licence: "Apache-2.0",
    url: "https://github.com/nats-io/nats.c/blob/main/LICENSE", packages: ["libnats-dev", "libnats3.4"] },
  { name: "libcurl", use: "Sends mail, text messages and notifications", licence: "curl", url: "https://curl.se/docs/copyright.html",
    packages: ["libcurl4-openssl-dev", "libcurl4"] },
  { name: "libxml2", use: "Reads recorded routes", licence: "MIT", url: "https://gitlab.gnome.org/GNOME/libxml2/-/blob/master/Copyright",
    packages: ["libxml2"] },
  { name: "Common passwords of Django", use: "A list that the server refuses passwords by", licence: "BSD-3-Clause",
    url: "https://github.com/django/django/blob/main/LICENSE", packages: [] },
  { name: "Leaflet", use: "Draws the maps in your browser", licence: "BSD-2-Clause",
    url: "https://github.com/Leaflet/Leaflet/blob/main/LICENSE", packages: ["libjs-leaflet"] },
  { name: "PostgreSQL", use: "A program beside the server: the database", licence: "PostgreSQL",
    url: "https://www.postgresql.org/about/licence/", packages: ["postgresql-client-15"] },
  { name: "PostGIS", use: "An extension of the database: places and zones", licence: "GPL-2.0-or-later",
    url: "https://postgis.net/documentation/faq/licensing/", packages: [] },
  { name: "libvips", use: "A program beside the server: makes pictures smaller", licence: "LGPL-2.1-or-later",
    url: "https://github.com/libvips/libvips/blob/master/LICENSE", packages: ["libvips-tools"] },
  { name: "Osmium Tool", use: "A program beside the server: reads OpenStreetMap", licence: "GPL-3.0-or-later",
    url: "https://github.com/osmcode/osmium-tool/blob/master/LICENSE.txt", packages: ["osmium-tool"] },
];
