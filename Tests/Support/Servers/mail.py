"""A mail server for tests. Prints its port, then a line of JSON for each thing that happens.

usage: mail.py plain | starttls CERTIFICATE KEY | tls CERTIFICATE KEY

What it does goes by the recipient: gone-… is answered 550, later-… 451 the first time, hang-… gets no answer to its mail, cut-… loses
the connection instead of one, bad-… is refused as a mail (554).
"""

import asyncio
import email
import email.policy
import json
import ssl
import sys
from collections import Counter

from aiosmtpd.smtp import SMTP


def say(**what):
    print(json.dumps(what), flush=True)


class Handler:
    def __init__(self):
        self.tries = Counter()

    async def handle_RCPT(self, server, session, envelope, address, options):
        self.tries[address] += 1
        say(event="rcpt", to=address, tries=self.tries[address])
        if address.startswith("gone-"):
            return "550 5.1.1 no such user"
        if address.startswith("later-") and self.tries[address] == 1:
            return "451 4.3.0 try again"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        to = envelope.rcpt_tos[0]
        say(
            event="mail",
            to=to,
            sender=envelope.mail_from,
            tls=session.ssl is not None or server.transport.get_extra_info("ssl_object") is not None,
            headers={name.lower(): value for name, value in message.items()},
            plain=message.get_body(("plain",)).get_content(),
            html=message.get_body(("html",)).get_content(),
            defects=[str(d) for part in message.walk() for d in part.defects],
            longest=max(len(line) for line in envelope.content.split(b"\r\n")),
        )
        if to.startswith("hang-"):
            await asyncio.sleep(3600)
        if to.startswith("cut-"):
            server.transport.abort()
        if to.startswith("bad-"):
            return "554 5.6.0 not like that"
        return "250 OK"


async def main():
    mode = sys.argv[1]
    context = None
    if mode != "plain":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
    handler = Handler()
    starttls = {"tls_context": context, "require_starttls": True} if mode == "starttls" else {}
    server = await asyncio.get_running_loop().create_server(
        lambda: SMTP(handler, hostname="localhost", **starttls), "127.0.0.1", 0, ssl=context if mode == "tls" else None
    )
    say(port=server.sockets[0].getsockname()[1])
    await server.serve_forever()


asyncio.run(main())
