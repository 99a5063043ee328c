import type { Texts } from '../texts.ts';

/** Irish. */
export const ga: Texts = {
  title: 'Íocaíocht',
  payTo: 'Íocaíocht le {merchant}',
  amount: 'Méid',
  amountHint: 'Mar shampla {example}',
  next: 'Lean ar aghaidh',
  number: 'Uimhir an chárta',
  expiry: 'Dáta éaga',
  expiryHint: 'Mí agus bliain, mar shampla 08/30 nó 0830',
  code: 'Cód slándála',
  codeHint: 'Trí dhigit ar chúl an chárta',
  pay: 'Íoc',
  testMode: 'Mód tástála: ní ghlactar ach le cártaí tástála agus ní aistrítear aon airgead.',
  testCards: 'Cártaí tástála',
  testCardsHint: 'Le dáta éaga ar bith amach anseo agus trí dhigit ar bith mar chód slándála.',
  consent: 'Toilíonn tú go bhféadfar an cárta seo a úsáid le haghaidh íocaíochtaí níos déanaí.',
  problem: 'Seiceáil an méid a chuir tú isteach, le do thoil.',
  declined: 'Diúltaíodh don íocaíocht.',
  cardRejected: 'Ní ghlactar anseo ach le cártaí tástála foilsithe. Níor stóráladh an uimhir.',
  done: 'Go raibh maith agat',
  doneText: 'D’íoc tú {amount} le {merchant}.',
  invalidLink: 'Níl an nasc íocaíochta seo bailí',
  askShop: 'Iarr nasc nua ar an siopa, le do thoil.',
  live: 'Ní ghlacann an tseirbhís seo le fíorchártaí. Ní féidir leat an siopa seo a íoc anseo.',
  cards: {
    success: 'Éiríonn leis an íocaíocht.',
    declined: 'Diúltaítear don íocaíocht: níl dóthain airgid ann.',
    declinedLater:
      'Éiríonn leis an íocaíocht. Diúltaítear d’íocaíochtaí níos déanaí leis an gcárta seo.',
    disputed:
      'Éiríonn leis an íocaíocht. Tar éis an t-airgead a bhailiú, cuireann sealbhóir an chárta ina coinne.',
    fraud:
      'Éiríonn leis an íocaíocht. Tar éis an t-airgead a bhailiú, tuairiscítear mar chalaois í.',
  },
  errors: {
    4: 'Ní mór trí dhigit a bheith sa chód slándála.',
    5: 'Ní mór mí agus bliain a bheith sa dáta éaga, mar shampla 08/30.',
    14: 'Níl an méid bailí.',
    15: 'Cuir isteach an méid, le do thoil.',
    17: 'Cuir isteach uimhir an chárta, le do thoil.',
    18: 'Cuir isteach an dáta éaga, le do thoil.',
    20: 'Cuir isteach an cód slándála, le do thoil.',
  },
};
