const WIDTH = 80;

/** Breaks text into lines of up to 80 characters, each with a prefix. */
export function wrap(text: string, prefix: string): string[] {
  const lines: string[] = [];
  let line = prefix;
  for (const word of text.split(' ')) {
    if (line !== prefix && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = prefix;
    }
    line += line === prefix ? word : ` ${word}`;
  }
  return [...lines, line];
}
