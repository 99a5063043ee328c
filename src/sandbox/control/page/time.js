const pad = (number) => String(number).padStart(2, '0');

/** The time of day of a date, in UTC: `14:03:59`. */
export function timeOfDay(date) {
  return [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(pad).join(':');
}

/** A date and its time, in UTC: `2026-11-23 14:03:59`. */
export function dateAndTime(date) {
  return `${date.toISOString().slice(0, 10)} ${timeOfDay(date)}`;
}

const units = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
];

/** A number of milliseconds in the largest unit that it fills: `2 hours`. */
export function duration(ms) {
  const [size, unit] = units.find(([one]) => ms % one === 0 && ms > 0) ?? [1, 'ms'];
  const count = ms / size;
  return `${count} ${unit}${count === 1 || unit === 'ms' ? '' : 's'}`;
}
