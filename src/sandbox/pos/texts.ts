/** Every text of the payment page in one language. */
export interface Texts {
  readonly title: string;
  readonly payTo: string;
  readonly amount: string;
  readonly amountHint: string;
  readonly next: string;
  readonly number: string;
  readonly expiry: string;
  readonly expiryHint: string;
  readonly code: string;
  readonly codeHint: string;
  readonly pay: string;
  readonly testMode: string;
  readonly consent: string;
  readonly problem: string;
  readonly declined: string;
  readonly cardRejected: string;
  readonly done: string;
  readonly doneText: string;
  readonly invalidLink: string;
  readonly live: string;
  /** The errors of the form, by the code of the published processing error. */
  readonly errors: Readonly<Record<FormErrorCode, string>>;
}

/** The codes of the published processing errors that a form can have. */
export type FormErrorCode = 4 | 5 | 14 | 15 | 17 | 18 | 20;

const en: Texts = {
  title: 'Payment',
  payTo: 'Payment to',
  amount: 'Amount',
  amountHint: 'For example',
  next: 'Continue',
  number: 'Card number',
  expiry: 'Expiry date',
  expiryHint: 'Month and year, MM/YY',
  code: 'Security code',
  codeHint: 'Three digits on the back of the card',
  pay: 'Pay',
  testMode: 'Test mode: only test cards are accepted, and no money moves.',
  consent: 'You agree that this card may be used for later payments.',
  problem: 'Please check what you entered',
  declined: 'The payment was declined',
  cardRejected: 'Only published test cards are accepted here. The number was not stored.',
  done: 'Thank you',
  doneText: 'The payment was received.',
  invalidLink: 'This payment link is not valid',
  live: 'This service does not accept real cards. You cannot pay this shop here.',
  errors: {
    4: 'Invalid security code (CSC)',
    5: 'Invalid expire date',
    14: 'Invalid amount',
    15: 'Missing amount',
    17: 'Missing card number',
    18: 'Missing card expiry month',
    20: 'Missing card security code (CSC)',
  },
};

const da: Texts = {
  title: 'Betaling',
  payTo: 'Betaling til',
  amount: 'Beløb',
  amountHint: 'For eksempel',
  next: 'Fortsæt',
  number: 'Kortnummer',
  expiry: 'Udløbsdato',
  expiryHint: 'Måned og år, MM/ÅÅ',
  code: 'Kontrolkode',
  codeHint: 'Tre cifre på bagsiden af kortet',
  pay: 'Betal',
  testMode: 'Testtilstand: kun testkort modtages, og der flyttes ingen penge.',
  consent: 'Du accepterer, at senere betalinger kan ske med dette kort.',
  problem: 'Kontrollér venligst det indtastede',
  declined: 'Betalingen blev afvist',
  cardRejected: 'Her modtages kun offentliggjorte testkort. Nummeret er ikke gemt.',
  done: 'Tak',
  doneText: 'Betalingen er modtaget.',
  invalidLink: 'Betalingslinket er ikke gyldigt',
  live: 'Denne tjeneste modtager ikke rigtige kort. Du kan ikke betale til butikken her.',
  errors: {
    4: 'Ugyldig kontrolkode',
    5: 'Ugyldig udløbsdato',
    14: 'Ugyldigt beløb',
    15: 'Beløb mangler',
    17: 'Kortnummer mangler',
    18: 'Udløbsdato mangler',
    20: 'Kontrolkode mangler',
  },
};

const de: Texts = {
  title: 'Zahlung',
  payTo: 'Zahlung an',
  amount: 'Betrag',
  amountHint: 'Zum Beispiel',
  next: 'Weiter',
  number: 'Kartennummer',
  expiry: 'Gültig bis',
  expiryHint: 'Monat und Jahr, MM/JJ',
  code: 'Prüfnummer',
  codeHint: 'Drei Ziffern auf der Rückseite der Karte',
  pay: 'Bezahlen',
  testMode: 'Testbetrieb: Nur Testkarten werden angenommen, es fließt kein Geld.',
  consent: 'Sie stimmen zu, dass spätere Zahlungen mit dieser Karte erfolgen dürfen.',
  problem: 'Bitte prüfen Sie Ihre Eingaben',
  declined: 'Die Zahlung wurde abgelehnt',
  cardRejected:
    'Hier werden nur veröffentlichte Testkarten angenommen. Die Nummer wurde nicht gespeichert.',
  done: 'Vielen Dank',
  doneText: 'Die Zahlung ist eingegangen.',
  invalidLink: 'Dieser Zahlungslink ist nicht gültig',
  live: 'Dieser Dienst nimmt keine echten Karten an. Zahlungen an diesen Shop sind hier nicht möglich.',
  errors: {
    4: 'Ungültige Prüfnummer',
    5: 'Ungültiges Ablaufdatum',
    14: 'Ungültiger Betrag',
    15: 'Betrag fehlt',
    17: 'Kartennummer fehlt',
    18: 'Ablaufdatum fehlt',
    20: 'Prüfnummer fehlt',
  },
};

const fr: Texts = {
  title: 'Paiement',
  payTo: 'Paiement à',
  amount: 'Montant',
  amountHint: 'Par exemple',
  next: 'Continuer',
  number: 'Numéro de carte',
  expiry: 'Date d’expiration',
  expiryHint: 'Mois et année, MM/AA',
  code: 'Code de sécurité',
  codeHint: 'Trois chiffres au dos de la carte',
  pay: 'Payer',
  testMode: 'Mode test : seules les cartes de test sont acceptées, aucun argent ne circule.',
  consent: 'Vous acceptez que de prochains paiements soient faits avec cette carte.',
  problem: 'Veuillez vérifier votre saisie',
  declined: 'Le paiement a été refusé',
  cardRejected:
    'Seules les cartes de test publiées sont acceptées ici. Ce numéro n’a pas été conservé.',
  done: 'Merci',
  doneText: 'Le paiement a été reçu.',
  invalidLink: 'Ce lien de paiement n’est pas valable',
  live: 'Ce service n’accepte pas de vraies cartes. Impossible de payer cette boutique ici.',
  errors: {
    4: 'Code de sécurité non valable',
    5: 'Date d’expiration non valable',
    14: 'Montant non valable',
    15: 'Montant manquant',
    17: 'Numéro de carte manquant',
    18: 'Date d’expiration manquante',
    20: 'Code de sécurité manquant',
  },
};

const es: Texts = {
  title: 'Pago',
  payTo: 'Pago a',
  amount: 'Importe',
  amountHint: 'Por ejemplo',
  next: 'Continuar',
  number: 'Número de tarjeta',
  expiry: 'Fecha de caducidad',
  expiryHint: 'Mes y año, MM/AA',
  code: 'Código de seguridad',
  codeHint: 'Tres cifras en el reverso de la tarjeta',
  pay: 'Pagar',
  testMode: 'Modo de prueba: solo se aceptan tarjetas de prueba y no se mueve dinero.',
  consent: 'Acepta que se hagan pagos posteriores con esta tarjeta.',
  problem: 'Revise los datos introducidos',
  declined: 'El pago ha sido rechazado',
  cardRejected: 'Aquí solo se aceptan tarjetas de prueba publicadas. El número no se ha guardado.',
  done: 'Gracias',
  doneText: 'Hemos recibido el pago.',
  invalidLink: 'Este enlace de pago no es válido',
  live: 'Este servicio no acepta tarjetas reales. Aquí no se puede pagar a esta tienda.',
  errors: {
    4: 'Código de seguridad no válido',
    5: 'Fecha de caducidad no válida',
    14: 'Importe no válido',
    15: 'Falta el importe',
    17: 'Falta el número de tarjeta',
    18: 'Falta la fecha de caducidad',
    20: 'Falta el código de seguridad',
  },
};

const sv: Texts = {
  title: 'Betalning',
  payTo: 'Betalning till',
  amount: 'Belopp',
  amountHint: 'Till exempel',
  next: 'Fortsätt',
  number: 'Kortnummer',
  expiry: 'Giltigt till',
  expiryHint: 'Månad och år, MM/ÅÅ',
  code: 'Säkerhetskod',
  codeHint: 'Tre siffror på kortets baksida',
  pay: 'Betala',
  testMode: 'Testläge: bara testkort tas emot och inga pengar flyttas.',
  consent: 'Du godkänner att senare betalningar görs med detta kort.',
  problem: 'Kontrollera det du har fyllt i',
  declined: 'Betalningen nekades',
  cardRejected: 'Här tas bara publicerade testkort emot. Numret har inte sparats.',
  done: 'Tack',
  doneText: 'Betalningen är mottagen.',
  invalidLink: 'Betalningslänken är inte giltig',
  live: 'Den här tjänsten tar inte emot riktiga kort. Det går inte att betala till butiken här.',
  errors: {
    4: 'Ogiltig säkerhetskod',
    5: 'Ogiltigt giltighetsdatum',
    14: 'Ogiltigt belopp',
    15: 'Belopp saknas',
    17: 'Kortnummer saknas',
    18: 'Giltighetsdatum saknas',
    20: 'Säkerhetskod saknas',
  },
};

const languages: Readonly<Record<string, Texts>> = { en, da, de, fr, es, sv };

/** The texts and the number format for a customer. */
export interface Language {
  readonly texts: Texts;
  /** The value of the `lang` attribute. */
  readonly tag: string;
  /** The locale for numbers. It includes the country. */
  readonly locale: string;
}

/** Returns the language of a locale such as `da`, `de_AT` or `en-GB`. The default is English. */
export function languageOf(locale = ''): Language {
  const [, tag = '', country] = /^([a-z]{2})(?:[_-]([A-Z]{2}))?$/.exec(locale) ?? [];
  const texts = Object.hasOwn(languages, tag) ? languages[tag] : undefined;
  if (texts === undefined) return { texts: en, tag: 'en', locale: 'en' };
  return { texts, tag, locale: country === undefined ? tag : `${tag}-${country}` };
}
