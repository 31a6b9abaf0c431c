-- Sends the requests of a file in their order, and prints the result as JSON.
-- wrk ... URL -- FILE once|repeat
-- FILE holds whole HTTP requests, each followed by a NUL. With `once` the thread stops
-- after the last request; with `repeat` it starts again at the first.
-- Use one thread, so that the order is kept.

local requests, once = {}, false
local at = -2 -- wrk calls request() once without sending the result
exhausted = false

local thread

function setup(only_thread)
  thread = only_thread
end

function init(args)
  once = args[2] == 'once'
  local file = assert(io.open(args[1], 'rb'))
  for text in file:read('*a'):gmatch('(%Z+)%z') do
    requests[#requests + 1] = text
  end
  file:close()
end

function request()
  at = at + 1
  if at > 0 and at % #requests == 0 and once then
    exhausted = true
    wrk.thread:stop()
  end
  return requests[math.max(at, 0) % #requests + 1]
end

function done(summary, latency, _)
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"requests": %d, "seconds": %.6f, "errors": %d, "unanswered": %d,' ..
    ' "exhausted": %s, "p50_ms": %.3f, "p99_ms": %.3f}\n',
    summary.requests, summary.duration / 1e6, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    thread:get('exhausted'),
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
