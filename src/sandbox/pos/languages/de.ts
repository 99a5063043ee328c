import type { Texts } from '../texts.ts';

/** German. */
export const de: Texts = {
  title: 'Zahlung',
  payTo: 'Zahlung an {merchant}',
  amount: 'Betrag',
  amountHint: 'Zum Beispiel {example}',
  next: 'Weiter',
  number: 'Kartennummer',
  expiry: 'Gültig bis',
  expiryHint: 'Monat und Jahr, zum Beispiel 08/30 oder 0830',
  code: 'Prüfnummer',
  codeHint: 'Drei Ziffern auf der Rückseite der Karte',
  pay: 'Bezahlen',
  testMode: 'Testbetrieb: Nur Testkarten werden angenommen, es fließt kein Geld.',
  testCards: 'Testkarten',
  testCardsHint:
    'Mit einem beliebigen Ablaufdatum in der Zukunft und drei beliebigen Ziffern als Prüfnummer.',
  consent: 'Sie stimmen zu, dass spätere Zahlungen mit dieser Karte erfolgen dürfen.',
  problem: 'Bitte prüfen Sie Ihre Eingaben.',
  declined: 'Die Zahlung wurde abgelehnt.',
  cardRejected:
    'Hier werden nur veröffentlichte Testkarten angenommen. Die Nummer wurde nicht gespeichert.',
  done: 'Vielen Dank',
  doneText: 'Sie haben {amount} an {merchant} gezahlt.',
  invalidLink: 'Dieser Zahlungslink ist nicht gültig',
  askShop: 'Bitte fragen Sie den Shop nach einem neuen Link.',
  live: 'Dieser Dienst nimmt keine echten Karten an. Zahlungen an diesen Shop sind hier nicht möglich.',
  cards: {
    success: 'Die Zahlung gelingt.',
    declined: 'Die Zahlung wird abgelehnt: Das Guthaben reicht nicht aus.',
    declinedLater: 'Die Zahlung gelingt. Spätere Zahlungen mit dieser Karte werden abgelehnt.',
    disputed: 'Die Zahlung gelingt. Nach der Abbuchung beanstandet sie der Karteninhaber.',
    fraud: 'Die Zahlung gelingt. Nach der Abbuchung wird sie als Betrug gemeldet.',
  },
  errors: {
    4: 'Die Prüfnummer muss drei Ziffern haben.',
    5: 'Das Ablaufdatum muss aus Monat und Jahr bestehen, zum Beispiel 08/30.',
    14: 'Der Betrag ist nicht gültig.',
    15: 'Bitte geben Sie den Betrag ein.',
    17: 'Bitte geben Sie die Kartennummer ein.',
    18: 'Bitte geben Sie das Ablaufdatum ein.',
    20: 'Bitte geben Sie die Prüfnummer ein.',
  },
};
