import type { Texts } from '../texts.ts';

/** Polish. */
export const pl: Texts = {
  title: 'Płatność',
  payTo: 'Płatność dla {merchant}',
  amount: 'Kwota',
  amountHint: 'Na przykład {example}',
  next: 'Dalej',
  number: 'Numer karty',
  expiry: 'Data ważności',
  expiryHint: 'Miesiąc i rok, na przykład 08/30 lub 0830',
  code: 'Kod zabezpieczający',
  codeHint: 'Trzy cyfry na odwrocie karty',
  pay: 'Zapłać',
  testMode:
    'Tryb testowy: przyjmowane są tylko karty testowe i żadne pieniądze nie są przekazywane.',
  testCards: 'Karty testowe',
  testCardsHint:
    'Z dowolną przyszłą datą ważności i dowolnymi trzema cyframi jako kodem zabezpieczającym.',
  consent: 'Wyrażasz zgodę na późniejsze płatności tą kartą.',
  problem: 'Sprawdź wprowadzone dane.',
  declined: 'Płatność została odrzucona.',
  cardRejected: 'Przyjmowane są tu tylko opublikowane karty testowe. Numer nie został zapisany.',
  done: 'Dziękujemy',
  doneText: 'Zapłacono {amount} na rzecz {merchant}.',
  invalidLink: 'Ten link do płatności jest nieprawidłowy',
  askShop: 'Poproś sklep o nowy link.',
  live: 'Ta usługa nie przyjmuje prawdziwych kart. Nie można tu zapłacić temu sklepowi.',
  cards: {
    success: 'Płatność się udaje.',
    declined: 'Płatność jest odrzucana: brak wystarczających środków.',
    declinedLater: 'Płatność się udaje. Późniejsze płatności tą kartą są odrzucane.',
    disputed: 'Płatność się udaje. Po obciążeniu karty jej posiadacz składa reklamację.',
    fraud: 'Płatność się udaje. Po obciążeniu karty jest zgłaszana jako oszustwo.',
  },
  errors: {
    4: 'Kod zabezpieczający musi mieć trzy cyfry.',
    5: 'Data ważności musi składać się z miesiąca i roku, na przykład 08/30.',
    14: 'Kwota jest nieprawidłowa.',
    15: 'Wpisz kwotę.',
    17: 'Wpisz numer karty.',
    18: 'Wpisz datę ważności.',
    20: 'Wpisz kod zabezpieczający.',
  },
};
