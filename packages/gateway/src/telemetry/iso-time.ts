// ISO 8601 times for log lines. The date is formatted once a second and the milliseconds are appended: formatting it
// for every line was the most expensive part of a line.

const MS_PER_S = 1000;
/** `2026-01-01T00:00:00`, without the fraction. */
const SECONDS_LENGTH = 19;

export const isoTimes = (): ((ms: number) => string) => {
  let second = Number.NaN;
  let prefix = '';
  let last = Number.NaN;
  let printed = '';
  return (ms) => {
    const now = Math.floor(ms);
    if (now === last) return printed;
    last = now;
    const milliseconds = now % MS_PER_S;
    if (now - milliseconds !== second) {
      second = now - milliseconds;
      prefix = new Date(second).toISOString().slice(0, SECONDS_LENGTH);
    }
    printed = `${prefix}.${String(milliseconds).padStart(3, '0')}Z`;
    return printed;
  };
};
