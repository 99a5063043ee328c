import type { Texts } from '../texts.ts';

/** Slovenian. */
export const sl: Texts = {
  title: 'Plačilo',
  payTo: 'Plačilo trgovcu {merchant}',
  amount: 'Znesek',
  amountHint: 'Na primer {example}',
  next: 'Nadaljuj',
  number: 'Številka kartice',
  expiry: 'Datum poteka',
  expiryHint: 'Mesec in leto, na primer 08/30 ali 0830',
  code: 'Varnostna koda',
  codeHint: 'Tri števke na hrbtni strani kartice',
  pay: 'Plačaj',
  testMode: 'Preskusni način: sprejemajo se samo preskusne kartice in denar se ne prenaša.',
  testCards: 'Preskusne kartice',
  testCardsHint:
    'S poljubnim prihodnjim datumom poteka in poljubnimi tremi števkami kot varnostno kodo.',
  consent: 'Strinjate se, da se ta kartica lahko uporabi za poznejša plačila.',
  problem: 'Preverite vnesene podatke.',
  declined: 'Plačilo je bilo zavrnjeno.',
  cardRejected:
    'Tukaj se sprejemajo samo objavljene preskusne kartice. Številka ni bila shranjena.',
  done: 'Hvala',
  doneText: 'Trgovcu {merchant} ste plačali {amount}.',
  invalidLink: 'Ta plačilna povezava ni veljavna',
  askShop: 'Trgovino prosite za novo povezavo.',
  live: 'Ta storitev ne sprejema pravih kartic. Tej trgovini tukaj ni mogoče plačati.',
  cards: {
    success: 'Plačilo uspe.',
    declined: 'Plačilo je zavrnjeno: ni dovolj sredstev.',
    declinedLater: 'Plačilo uspe. Poznejša plačila s to kartico so zavrnjena.',
    disputed: 'Plačilo uspe. Po bremenitvi ga imetnik kartice izpodbija.',
    fraud: 'Plačilo uspe. Po bremenitvi je prijavljeno kot goljufija.',
  },
  errors: {
    4: 'Varnostna koda mora imeti tri števke.',
    5: 'Datum poteka mora vsebovati mesec in leto, na primer 08/30.',
    14: 'Znesek ni veljaven.',
    15: 'Vnesite znesek.',
    17: 'Vnesite številko kartice.',
    18: 'Vnesite datum poteka.',
    20: 'Vnesite varnostno kodo.',
  },
};
