import type { Texts } from '../texts.ts';

/** Italian. */
export const it: Texts = {
  title: 'Pagamento',
  payTo: 'Pagamento a {merchant}',
  amount: 'Importo',
  amountHint: 'Ad esempio {example}',
  next: 'Continua',
  number: 'Numero della carta',
  expiry: 'Data di scadenza',
  expiryHint: 'Mese e anno, ad esempio 08/30 o 0830',
  code: 'Codice di sicurezza',
  codeHint: 'Tre cifre sul retro della carta',
  pay: 'Paga',
  testMode: 'Modalità di prova: sono accettate solo carte di prova e non viene spostato denaro.',
  testCards: 'Carte di prova',
  testCardsHint:
    'Con una qualsiasi data di scadenza futura e tre cifre qualsiasi come codice di sicurezza.',
  consent: 'Accetta che questa carta sia usata per pagamenti successivi.',
  problem: 'Controlli i dati inseriti.',
  declined: 'Il pagamento è stato rifiutato.',
  cardRejected:
    'Qui sono accettate solo le carte di prova pubblicate. Il numero non è stato memorizzato.',
  done: 'Grazie',
  doneText: 'Ha pagato {amount} a {merchant}.',
  invalidLink: 'Questo link di pagamento non è valido',
  askShop: 'Chieda al negozio un nuovo link.',
  live: 'Questo servizio non accetta carte reali. Non è possibile pagare qui questo negozio.',
  cards: {
    success: 'Il pagamento riesce.',
    declined: 'Il pagamento è rifiutato: fondi insufficienti.',
    declinedLater: 'Il pagamento riesce. I pagamenti successivi con questa carta sono rifiutati.',
    disputed: 'Il pagamento riesce. Dopo l’addebito il titolare della carta lo contesta.',
    fraud: 'Il pagamento riesce. Dopo l’addebito viene segnalato come frode.',
  },
  errors: {
    4: 'Il codice di sicurezza deve avere tre cifre.',
    5: 'La data di scadenza deve essere un mese e un anno, ad esempio 08/30.',
    14: 'L’importo non è valido.',
    15: 'Inserisca l’importo.',
    17: 'Inserisca il numero della carta.',
    18: 'Inserisca la data di scadenza.',
    20: 'Inserisca il codice di sicurezza.',
  },
};
