const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,99}$/;

/** Whether a text is the name of a time zone. Offsets such as `+01:00` are not names. */
export function isTimeZone(name: string): boolean {
  if (!NAME.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Returns a function that finds the day of an instant, such as `2026-11-21`, in a time zone. */
export function daysIn(timeZone: string): (instant: Date) => string {
  const format = new Intl.DateTimeFormat('en', {
    ...{ timeZone, calendar: 'iso8601', numberingSystem: 'latn' },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
  });
  return (instant) => {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
    const year = (parts.get('year') ?? '').padStart(4, '0');
    return `${year}-${parts.get('month')}-${parts.get('day')}`;
  };
}
