/** A currency in which payments are or were made. */
export interface Currency {
  /** ISO 4217 code: three letters. */
  readonly code: string;
  /** ISO 4217 number: three digits, as a string to keep leading zeros. */
  readonly numeric: string;
  /** Number of digits after the decimal point: 2 for EUR, 0 for JPY, 3 for KWD. */
  readonly exponent: number;
  /** Whether it can be the funding currency of a merchant. */
  readonly funding: boolean;
  /** Whether new payments in it are no longer accepted. */
  readonly deprecated: boolean;
}

/**
 * The list that the payments service publishes, and the active codes of ISO 4217 that it lacks, as
 * of November 2026: code, number, exponent, and a note. Where ISO 4217 differs (ISK has two
 * decimals here), the published value is correct, because the service uses it. Codes that do not
 * belong to a country are left out. Both programs read this list.
 */
const rows = `
AED 784 2
AFN 971 2
ALL 008 2
AMD 051 2
ANG 532 2
AOA 973 2
ARS 032 2
AUD 036 2
AWG 533 2
AZN 944 2
BAM 977 2
BBD 052 2
BDT 050 2
BGN 975 2 funding
BHD 048 3
BIF 108 0
BMD 060 2
BND 096 2
BOB 068 2
BOV 984 2
BRL 986 2
BSD 044 2
BTN 064 2
BWP 072 2
BYN 933 2
BYR 974 0
BZD 084 2
CAD 124 2
CDF 976 2
CHE 947 2
CHF 756 2 funding
CHW 948 2
CLF 990 4
CLP 152 0
CNY 156 2
COP 170 2
COU 970 2
CRC 188 2
CUP 192 2
CVE 132 2
CZK 203 2 funding
DJF 262 0
DKK 208 2 funding
DOP 214 2
DZD 012 2
EGP 818 2
ERN 232 2
ETB 230 2
EUR 978 2 funding
FJD 242 2
FKP 238 2
GBP 826 2 funding
GEL 981 2
GHS 936 2
GIP 292 2
GMD 270 2
GNF 324 0
GTQ 320 2
GYD 328 2
HKD 344 2
HNL 340 2
HRK 191 2 deprecated
HTG 332 2
HUF 348 2 funding
IDR 360 2
ILS 376 2
INR 356 2
IQD 368 3
IRR 364 2
ISK 352 2
JMD 388 2
JOD 400 3
JPY 392 0
KES 404 2
KGS 417 2
KHR 116 2
KMF 174 0
KPW 408 2
KRW 410 0
KWD 414 3
KYD 136 2
KZT 398 2
LAK 418 2
LBP 422 2
LKR 144 2
LRD 430 2
LSL 426 2
LYD 434 3
MAD 504 2
MDL 498 2
MGA 969 2
MKD 807 2
MMK 104 2
MNT 496 2
MOP 446 2
MRO 478 2 deprecated
MRU 929 2
MUR 480 2
MVR 462 2
MWK 454 2
MXN 484 2
MXV 979 2
MYR 458 2
MZN 943 2
NAD 516 2
NGN 566 2
NIO 558 2
NOK 578 2 funding
NPR 524 2
NZD 554 2
OMR 512 3
PAB 590 2
PEN 604 2
PGK 598 2
PHP 608 2
PKR 586 2
PLN 985 2 funding
PYG 600 0
QAR 634 2
RON 946 2 funding
RSD 941 2
RUB 643 2
RWF 646 0
SAR 682 2
SBD 090 2
SCR 690 2
SDG 938 2
SEK 752 2 funding
SGD 702 2
SHP 654 2
SLE 925 2
SLL 694 2 deprecated
SOS 706 2
SRD 968 2
SSP 728 2
STD 678 2 deprecated
STN 930 2
SVC 222 2
SYP 760 2
SZL 748 2
THB 764 2
TJS 972 2
TMT 934 2
TND 788 3
TOP 776 2
TRY 949 2
TTD 780 2
TWD 901 2
TZS 834 2
UAH 980 2
UGX 800 0
USD 840 2 funding
USN 997 2
UYI 940 0
UYU 858 2
UYW 927 4
UZS 860 2
VED 926 2
VEF 937 2
VES 928 2 deprecated
VND 704 0
VUV 548 0
WST 882 2
XAF 950 0
XCD 951 2
XCG 532 2
XOF 952 0
XPF 953 0
YER 886 2
ZAR 710 2
ZMK 894 2
ZMW 967 2
ZWG 924 2
ZWL 716 2
`;

/** All currencies, by code. */
export const currencies: ReadonlyMap<string, Currency> = new Map(
  rows
    .trim()
    .split('\n')
    .map((row) => {
      const [code = '', numeric = '', exponent, note] = row.split(' ');
      const currency: Currency = {
        code,
        numeric,
        exponent: Number(exponent),
        funding: note === 'funding',
        deprecated: note === 'deprecated',
      };
      return [code, currency];
    }),
);
