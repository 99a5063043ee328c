/** Countries in which a merchant's company may be: the published list, as ISO 3166 codes. */
export const countries: ReadonlySet<string> = new Set(
  'AT BE BG CH CY CZ DE DK EE ES FI FO FR GB GI GL GR HR HU IE IS IT LI LT LU LV MC MT NL NO PL PT RO SE SI SK SM'.split(
    ' ',
  ),
);
