/**
 * The lease server of shared limits as a Lua script for Redis: implements the same as `limits/lease-server.ts`. Each
 * pool is a hash of the time when all used units are paid for, and of each process's leased units and their expiry.
 * Only Redis's clock is used.
 */
import { KEPT_BACK, LEASE_MS, SEEN_MS } from '../../money/limits/leases.ts';

/** Times count from here: as Unix times, fractional milliseconds would exceed the precision of a number. */
const EPOCH_MS = Date.UTC(2026, 0, 1);
/** How long an unused pool is kept after other processes' leases have expired and all units are paid for. */
const REST_MS = LEASE_MS + 1000;

/** KEYS: the processes, then a pool for each request. ARGV: the process, then seven numbers for each request. */
export const ACQUIRE_LEASES = `
local time = redis.call('TIME')
local now = time[1] * 1000 - ${EPOCH_MS} + time[2] / 1000
local process = ARGV[1]
redis.call('ZADD', KEYS[1], now, process)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ${SEEN_MS})
redis.call('PEXPIRE', KEYS[1], ${SEEN_MS})
local exact = function(number) return string.format('%.17g', number) end
local out = { redis.call('ZCARD', KEYS[1]), exact(now) }

for index = 2, #KEYS do
  local at = 2 + (index - 2) * 7
  local capacity, msPerUnit, used = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local usedAgoMs, keep = tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4])
  local need, spare = tonumber(ARGV[at + 5]), tonumber(ARGV[at + 6])
  local pool = KEYS[index]
  local paidAt, others, last = -math.huge, 0, now
  local expired = {}
  local held = redis.call('HGETALL', pool)
  for n = 1, #held, 2 do
    if held[n] == 'paid' then
      paidAt = tonumber(held[n + 1])
    elseif held[n] ~= process then
      local units, untilMs = string.match(held[n + 1], '^(%S+) (%S+)$')
      if tonumber(untilMs) > now then
        others = others + tonumber(units)
        last = math.max(last, tonumber(untilMs))
      else
        expired[#expired + 1] = held[n]
        expired[held[n]] = tonumber(units)
      end
    end
  end
  for _, other in ipairs(expired) do
    redis.call('HDEL', pool, other)
    paidAt = math.max(paidAt, now) + expired[other] * msPerUnit
  end
  if used ~= 0 then paidAt = math.max(paidAt, now - usedAgoMs) + used * msPerUnit end

  local level = 0
  if msPerUnit > 0 then level = math.max(0, paidAt - now) / msPerUnit end
  local free = capacity - level - others - keep
  local needed = math.max(0, math.floor(math.min(need, free) + 1e-6))
  local plenty = 0
  if needed >= need then plenty = free - needed - capacity * ${KEPT_BACK} end
  local granted = needed + math.max(0, math.floor(math.min(spare, plenty) + 1e-6))

  if keep + granted > 0 then
    redis.call('HSET', pool, process, exact(keep + granted) .. ' ' .. exact(now + ${LEASE_MS}))
  else
    redis.call('HDEL', pool, process)
  end
  if paidAt > -math.huge then redis.call('HSET', pool, 'paid', exact(paidAt)) end
  redis.call('PEXPIRE', pool, math.ceil(math.max(last, paidAt) - now) + ${REST_MS})
  out[#out + 1] = exact(granted)
  out[#out + 1] = exact(free - granted)
end
return out
`;
