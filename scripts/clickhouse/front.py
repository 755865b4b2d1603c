"""A stand-in of ours for ClickHouse's HTTP interface, for tests: the engine behind it is the real one, embedded by chdb.

It speaks what @clickhouse/client sends: statements in the body or in `query`, data of an insert in the body, settings and `param_…`
in the query string. One statement at a time. Prints its port, then serves until it is ended.
"""

import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from chdb.session import Session

# Of the HTTP interface itself; the engine does not know them.
NOT_SETTINGS = {"query", "query_id", "database", "wait_end_of_query", "enable_http_compression", "session_id", "role"}

session = Session(sys.argv[1])
one_at_a_time = threading.Lock()


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def run(parameters, body):
    """A statement in the query string has its data in the body."""
    statement = next((value for name, value in parameters if name == "query"), None)
    sql = body if statement is None else statement + "\n" + body
    with one_at_a_time:
        for name, value in parameters:
            if name == "database":
                session.query(f"use `{value}`")
            elif name not in NOT_SETTINGS:
                session.query(f"set {name} = {value if re.fullmatch(r'-?[0-9]+', value) and not name.startswith('param_') else quoted(value)}")
        return session.query(sql, "TabSeparated").bytes()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer(200, b"Ok.\n")

    def do_POST(self):
        body = self.read_body().decode()
        try:
            self.answer(200, run(parse_qsl(urlsplit(self.path).query, keep_blank_values=True), body))
        except Exception as error:  # the engine's own, as the server would answer it
            self.answer(500, str(error).encode())

    def read_body(self):
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length", 0)))
        pieces = []
        while (length := int(self.rfile.readline().split(b";")[0], 16)) > 0:
            pieces.append(self.rfile.read(length))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Front(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_):
        """Clients are killed in the middle of a request: that is what is tested."""


server = Front(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
