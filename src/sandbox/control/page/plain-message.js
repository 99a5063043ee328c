const patterns = [
  [/^Invalid input: expected (?:number|int), received undefined$/, () => 'Enter a number.'],
  [/^Invalid input: expected int, received number$/, () => 'Must be a whole number.'],
  [/^Invalid input: expected (?:number|int), received .*$/, () => 'Must be a number.'],
  [/^Invalid input: expected \w+, received undefined$/, () => 'Must not be empty.'],
  [/^Too small: expected (?:number|int) to be >=(-?\d+)$/, (n) => `Must be at least ${n}.`],
  [/^Too big: expected (?:number|int) to be <=(-?\d+)$/, (n) => `Must be at most ${n}.`],
  [/^Too small: expected string to have >=\d+ characters$/, () => 'Must not be empty.'],
  [
    /^Too big: expected string to have <=(\d+) characters$/,
    (n) => `Must have at most ${n} characters.`,
  ],
  [/^Invalid ISO datetime$/, () => 'Must be a date and a time.'],
];

/** The message of an error in plain words, as a sentence. */
export function plainMessage(message) {
  for (const [pattern, toText] of patterns) {
    const match = pattern.exec(message);
    if (match !== null) return toText(match[1]);
  }
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
