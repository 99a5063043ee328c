import { z } from 'zod';

/** A type of value: how the text of an environment variable is checked and converted. */
export interface ValueType<T> {
  /** Which values are valid, as a phrase that follows "must be". */
  readonly accepts: string;
  /** Reads the text, which is trimmed and not empty. */
  readonly schema: z.ZodType<T>;
  /** False for URLs: even an invalid one can contain a password. */
  readonly mayShowValue: boolean;
}

/** Any text. */
export const text: ValueType<string> = {
  accepts: 'a string',
  schema: z.string(),
  mayShowValue: true,
};

/** Decimal digits only: no sign, exponent or separator. */
export function integer(min: number, max: number): ValueType<number> {
  return {
    accepts: `an integer from ${min} to ${max}`,
    schema: z.preprocess(
      (value) => (/^\d{1,10}$/.test(String(value)) ? Number(value) : undefined),
      z.int().min(min).max(max),
    ),
    mayShowValue: true,
  };
}

/** A port. 0 stands for a free port that the system picks. */
export const port: ValueType<number> = integer(0, 65_535);

/** `on` or `off`. */
export const onOrOff: ValueType<boolean> = {
  accepts: '"on" or "off"',
  schema: z.enum(['on', 'off']).transform((value) => value === 'on'),
  mayShowValue: true,
};

/** One of several words. */
export function oneOf<const Word extends string>(...words: readonly Word[]): ValueType<Word> {
  return {
    accepts: words.map((word) => `"${word}"`).join(' or '),
    schema: z.enum(words),
    mayShowValue: true,
  };
}

/** True for one word, false for the default `''`. No other value is valid. */
export function only(word: string): ValueType<boolean> {
  return {
    accepts: `"${word}" or unset`,
    schema: z.enum([word, '']).transform((value) => value === word),
    mayShowValue: true,
  };
}

/** An app key: 1 to 200 printable ASCII characters without spaces. */
export const appKey: ValueType<string> = {
  accepts: '1 to 200 printable ASCII characters without spaces',
  schema: z.string().regex(/^[!-~]{1,200}$/),
  mayShowValue: false,
};

/** A URL with one of these schemes, such as `postgresql`. It can contain a password. */
export function urlWithScheme(...schemes: readonly string[]): ValueType<string> {
  return {
    accepts: `a URL that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
    schema: z.string().regex(new RegExp(`^(?:${schemes.join('|')})://.`)),
    mayShowValue: false,
  };
}

/** The base URL of an HTTP service, such as `example`. Slashes at its end are removed. */
export function httpUrl(example: string): ValueType<string> {
  return {
    accepts: `an http or https URL without username, password, query or fragment, such as ${example}`,
    schema: z
      .string()
      .refine(isPlainHttpUrl)
      .meta({ format: 'uri' })
      .transform((url) => url.replace(/\/+$/, '')),
    mayShowValue: false,
  };
}

function isPlainHttpUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return (
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    `${url.username}${url.password}${url.search}${url.hash}` === ''
  );
}
