-- wrk script: posts BODY_FILE with the headers of HEADERS_FILE ("Name: value" per line) and prints one JSON line.
local function read_all(path)
  local file = assert(io.open(path, "r"))
  local text = file:read("*a")
  file:close()
  return text
end

wrk.method = "POST"
wrk.body = read_all(os.getenv("BODY_FILE"))
wrk.headers["Content-Type"] = "application/json"
for name, value in string.gmatch(read_all(os.getenv("HEADERS_FILE")), "([^:\r\n]+): ([^\r\n]+)") do
  wrk.headers[name] = value
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"requests":%d,"bytes":%d,"seconds":%.6f,"badStatus":%d,"socketErrors":%d,"p50Us":%.1f,"p99Us":%.1f}\n',
    summary.requests, summary.bytes, summary.duration / 1e6, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
