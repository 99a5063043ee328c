import { z } from 'zod';
import { currencies } from '../../currencies.ts';
import { text } from '../http/fields.ts';

/** The id of a record in a response. */
export const id = z.string().regex(/^[0-9a-f]{24}$/);
/** A date in a response. */
export const date = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ format: 'date-time' });
/** Minor units of a currency, in a response. May be negative. */
export const minorUnits = z.int();
/** Minor units of a currency, in a response. Never negative. */
export const counter = z.int().min(0);
/** A property that only some records have. */
export const yes = z.literal(true);
/** The currencies of payments, also of those made before their currency was withdrawn. */
export const knownCurrency = z.enum([...currencies.keys()]);
/** What a response shows of a card. */
export const cardDigits = {
  bin: z.string().regex(/^\d{6}$/),
  last4: z.string().regex(/^\d{4}$/),
  scheme: z.enum(['visa', 'mastercard']),
};

/** The name of an app or a merchant. */
export const name = text(1, 200);
/** Bank statements show printable ASCII only. */
export const descriptor = text(1, 22, /^[ -~]+$/, 'Must be printable ASCII');
/** An id in a request. It need not have the form of one. */
export const reference = text(1, 1000);
/** The account number of a merchant. */
export const iban = text(3, 34, /^[A-Z]{2}[A-Z0-9]+$/, 'Must be an IBAN');

/** Countries in which a merchant's company may be: every assigned code of ISO 3166-1 alpha-2. */
export const countries: ReadonlySet<string> = new Set(
  `
AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ
BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ
DE DJ DK DM DO DZ
EC EE EG EH ER ES ET
FI FJ FK FM FO FR
GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY
HK HM HN HR HT HU
ID IE IL IM IN IO IQ IR IS IT
JE JM JO JP
KE KG KH KI KM KN KP KR KW KY KZ
LA LB LC LI LK LR LS LT LU LV LY
MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ
NA NC NE NF NG NI NL NO NP NR NU NZ
OM
PA PE PF PG PH PK PL PM PN PR PS PT PW PY
QA
RE RO RS RU RW
SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ
TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ
UA UG UM US UY UZ
VA VC VE VG VI VN VU
WF WS
YE YT
ZA ZM ZW
`
    .trim()
    .split(/\s/),
);
