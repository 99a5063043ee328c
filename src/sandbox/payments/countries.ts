/** Countries a merchant's company may be in: the published list, ISO 3166 letters. */
export const countries: ReadonlySet<string> = new Set(
  'AT BE BG CH CY CZ DE DK EE ES FI FO FR GB GI GL GR HR HU IE IS IT LI LT LU LV MC MT NL NO PL PT RO SE SI SK SM'.split(
    ' ',
  ),
);
