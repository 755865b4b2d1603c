/**
 * The lease server of shared limits as a Lua script for Redis: implements the same as `limits/lease-server.ts`. A pool is a
 * hash of the time when all used units are paid for, of each process's leased units and of their total; a sorted set beside
 * it has the processes by the expiry of their leases. So a call costs the same with eight processes and with a thousand.
 * Only Redis's clock is used.
 */
import { KEPT_BACK, LEASE_MS, SEEN_MS } from '../../money/limits/leases.ts';

/** Times count from here: as Unix times, fractional milliseconds would exceed the precision of a number. */
const EPOCH_MS = Date.UTC(2026, 0, 1);
/** How long an unused pool is kept after all leases have expired and all units are paid for. */
const REST_MS = 1000;

/**
 * KEYS: the processes, then for each request a pool and the expiry of its leases. ARGV: the process, then seven numbers for
 * each request.
 */
export const ACQUIRE_LEASES = `
local time = redis.call('TIME')
local now = time[1] * 1000 - ${EPOCH_MS} + time[2] / 1000
local process = ARGV[1]
redis.call('ZADD', KEYS[1], now, process)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ${SEEN_MS})
redis.call('PEXPIRE', KEYS[1], ${SEEN_MS})
local exact = function(number) return string.format('%.17g', number) end
local out = { redis.call('ZCARD', KEYS[1]), exact(now) }

for index = 2, #KEYS, 2 do
  local at = 2 + (index - 2) / 2 * 7
  local capacity, msPerUnit, used = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local usedAgoMs, keep = tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4])
  local need, spare = tonumber(ARGV[at + 5]), tonumber(ARGV[at + 6])
  local pool, expiry = KEYS[index], KEYS[index + 1]
  -- A Redis short of memory may have evicted one of the two.
  if math.max(2, redis.call('HLEN', pool)) - 2 ~= redis.call('ZCARD', expiry) then redis.call('DEL', pool, expiry) end
  local known = redis.call('HMGET', pool, 'paid', 'leased', process)
  local paidAt, leased, own = tonumber(known[1] or 0), tonumber(known[2] or 0), tonumber(known[3] or 0)
  local others = leased - own
  for _, other in ipairs(redis.call('ZRANGEBYSCORE', expiry, '-inf', exact(now))) do
    redis.call('ZREM', expiry, other)
    if other ~= process then
      local units = tonumber(redis.call('HGET', pool, other))
      redis.call('HDEL', pool, other)
      others = others - units
      paidAt = math.max(paidAt, now) + units * msPerUnit
    end
  end
  if used ~= 0 then paidAt = math.max(paidAt, now - usedAgoMs) + used * msPerUnit end

  local level = 0
  if msPerUnit > 0 then level = math.max(0, paidAt - now) / msPerUnit end
  local free = capacity - level - others - keep
  local needed = math.max(0, math.floor(math.min(need, free) + 1e-6))
  local plenty = 0
  if needed >= need then plenty = free - needed - capacity * ${KEPT_BACK} end
  local granted = needed + math.max(0, math.floor(math.min(spare, plenty) + 1e-6))

  local mine = keep + granted
  if mine > 0 then
    redis.call('HSET', pool, 'paid', exact(paidAt), 'leased', exact(others + mine), process, exact(mine))
    redis.call('ZADD', expiry, exact(now + ${LEASE_MS}), process)
  else
    redis.call('HSET', pool, 'paid', exact(paidAt), 'leased', exact(others))
    if own > 0 then
      redis.call('HDEL', pool, process)
      redis.call('ZREM', expiry, process)
    end
  end
  local restMs = math.ceil(math.max(${LEASE_MS}, paidAt - now)) + ${REST_MS}
  redis.call('PEXPIRE', pool, restMs)
  redis.call('PEXPIRE', expiry, restMs)
  out[#out + 1] = exact(granted)
  out[#out + 1] = exact(free - granted)
end
return out
`;
