-- Sends the requests of a file in turn, and counts the answers that are wrong.
-- Arguments: the file, with a header, a tab and a body in each line; the first value of the
-- counter that replaces the marker in a body; the lengths of a right answer, with commas; how long
-- a connection waits between an answer and its next request, in milliseconds on average.

local MARKER = '@@@@@@@@@@@@'
local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  requests, marked, at = {}, {}, 0
  counter = tonumber(args[2])
  lengths = {}
  for length in string.gmatch(args[3] or '', '%d+') do lengths[tonumber(length)] = true end
  wrong, right = 0, 0
  waits(tonumber(args[4] or '0'))
  for line in io.lines(args[1]) do
    local tab = string.find(line, '\t', 1, true)
    local headers = {
      ['content-type'] = 'application/json',
      ['authorization'] = string.sub(line, 1, tab - 1),
    }
    local body = string.sub(line, tab + 1)
    table.insert(requests, wrk.format('POST', wrk.path, headers, body))
    table.insert(marked, string.find(body, MARKER, 1, true) ~= nil)
  end
end

-- Lets connections wait at random, with an exponential distribution: then many of them send almost
-- as independent users do. wrk calls a function with this name, if there is one.
function waits(mean)
  if mean == 0 then return end
  math.randomseed(counter)
  delay = function() return math.floor(-mean * math.log(1 - math.random()) + 0.5) end
end

function request()
  at = at % #requests + 1
  if not marked[at] then return requests[at] end
  counter = counter + 1
  return (string.gsub(requests[at], MARKER, string.format('%012d', counter)))
end

function response(status, headers, body)
  if status == 200 and lengths[#body] then right = right + 1 else wrong = wrong + 1 end
end

function done(summary, latency)
  local right, wrong = 0, 0
  for _, thread in ipairs(threads) do
    right = right + thread:get('right')
    wrong = wrong + thread:get('wrong')
  end
  local errors = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  io.write(string.format(
    '\nRESULT {"requests":%d,"right":%d,"wrong":%d,"errors":%d,"seconds":%f,"p50":%f,"p99":%f}\n',
    summary.requests, right, wrong, errors, summary.duration / 1e6,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
