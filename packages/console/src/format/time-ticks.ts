/** Round times for an axis, in the zone of the page. */
import { type Zone, zoneName } from './when.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [1, 2, 5, 10, 15, 30]
  .map((count) => count * MINUTE)
  .concat(
    [1, 2, 3, 6, 12].map((count) => count * HOUR),
    [1, 2, 7, 14, 28, 91].map((count) => count * DAY),
  );

/** How far the zone's clocks are ahead of UTC at this time, in ms. */
function offsetMs(atMs: number, zone: Zone): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone: zoneName(zone), timeZoneName: 'longOffset' }).formatToParts(
    atMs,
  );
  const match = /GMT([+-])(\d{2}):(\d{2})/.exec(parts.find(({ type }) => type === 'timeZoneName')?.value ?? '');
  if (match === null) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return (match[1] === '-' ? -minutes : minutes) * MINUTE;
}

/** The time at which the zone's clocks show `wallMs`, given as if it were UTC. */
const timeOf = (wallMs: number, zone: Zone): number => {
  const guess = wallMs - offsetMs(wallMs, zone);
  return wallMs - offsetMs(guess, zone);
};

/** At most `most` of them between the bounds. Days are those of the zone, which has one of 23 and one of 25 hours a year. */
export function timeTicks(fromMs: number, untilMs: number, most: number, zone: Zone): readonly number[] {
  const step = STEPS.find((each) => (untilMs - fromMs) / each <= most) ?? STEPS.at(-1) ?? DAY;
  const wallMs = Math.ceil((fromMs + offsetMs(fromMs, zone)) / step) * step;
  const ticks: number[] = [];
  for (let at = wallMs; ticks.length <= most; at += step) {
    const tick = timeOf(at, zone);
    if (tick > untilMs) break;
    if (tick > (ticks.at(-1) ?? -Infinity)) ticks.push(tick);
  }
  return ticks;
}
