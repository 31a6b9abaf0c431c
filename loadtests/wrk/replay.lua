-- Sends the requests of a file, one after the other, and prints what came of it.
-- wrk ... URL -- FILE once|cycle
-- FILE holds whole HTTP requests, each followed by a NUL. With `once` the thread stops
-- after the last, with `cycle` it starts again at the first. Use one thread: the order
-- of the requests is the order of the file.

local requests, once = {}, false
local at = -2 -- wrk asks for one request beforehand, which it does not send
exhausted = 0

local threads = {}

function setup(thread)
  threads[#threads + 1] = thread
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
    exhausted = 1
    wrk.thread:stop()
  end
  return requests[math.max(at, 0) % #requests + 1]
end

function done(summary, latency, _)
  local exhausted_threads = 0
  for _, thread in ipairs(threads) do
    exhausted_threads = exhausted_threads + thread:get('exhausted')
  end
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"requests": %d, "seconds": %.6f, "refused": %d, "broken": %d,' ..
    ' "exhausted": %d, "p50": %.3f, "p90": %.3f, "p99": %.3f}\n',
    summary.requests, summary.duration / 1e6, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    exhausted_threads,
    latency:percentile(50) / 1e3, latency:percentile(90) / 1e3,
    latency:percentile(99) / 1e3))
end
