import { en } from '#base/kit/texts.ts'
import type { PageTexts } from './french.ts'

/** All texts of the payment page, in English. */
export const englishTexts: PageTexts = {
  sandbox: en`No real money moves.`,
  secure: en`Secure payment`,
  otherLanguage: 'Français',
  neverPin: en`We never ask for your secret PIN on this page.`,
  by: en`Payment handled by Passerelle`,
  offline: en`You are offline.`,
  resumes: en`This page goes on as soon as the network is back.`,
  held: en`Your request leaves as soon as the network is back: nothing else to do.`,

  payTo: en`You are paying`,
  item: en`For`,
  customer: en`Customer`,
  reference: en`Reference`,
  validUntil: en`Payable until`,
  amount: en`Amount`,
  shop: en`Shop`,
  wallet: en`Paid with`,
  number: en`Number`,
  date: en`Date`,
  providerReference: en`Operator's reference`,
  transaction: en`Transaction`,

  step: (now) => en`Step ${now} of 3`,
  chooseTitle: (amount) => en`Pay ${amount}`,
  payWith: en`Pay with`,
  suggested: en`Suggested for this number. You can choose another one.`,
  country: en`Country`,
  steps: {
    push: en`On your phone`,
    redirect: en`In the app`,
    otp: en`Code by SMS`,
  },
  down: en`Not available right now`,
  noneAvailable: en`No way to pay is answering right now.`,
  noneAvailableWhat: en`The problem is on our side. Try again in a few minutes: this link
    stays valid.`,
  maintenance: en`Payments are closed for maintenance.`,
  maintenanceWhat: en`Nothing was charged, and this link stays valid.`,
  maintenanceUntil: en`Planned until`,
  phone: en`Your Mobile Money number`,
  phoneHints: {
    SN: en`9 digits, for example 77 123 45 67`,
    ML: en`8 digits, for example 76 12 34 56`,
    CI: en`10 digits, for example 07 12 34 56 78`,
    CM: en`9 digits, for example 6 71 23 45 67`,
  },
  phoneHint: en`The country code is optional`,
  accepted: en`Accepted here:`,
  next: en`Continue`,
  giveUp: en`Cancel this payment`,

  problemsTitle: en`Something needs correcting`,
  problems: {
    service: en`Choose how to pay.`,
    phone_missing: en`Enter your Mobile Money number.`,
    phone: en`This number is invalid: it takes 9 digits, 10 in Côte d'Ivoire, 8 in Mali.`,
    phone_country: en`There is no way to pay here for the country of this number.`,
    country: en`Choose the country of this number.`,
    unavailable: en`This way to pay is not answering right now. Choose another one.`,
    daily_limit_reached: en`This shop can take no more this way today. Choose another way.`,
    too_many_attempts: en`This number was tried too often. Wait ten minutes, then try again.`,
    number_blocked: en`This number cannot pay here. Use another one.`,
    code: en`Enter the code you received: 4 to 8 digits.`,
    wrong_code: en`Incorrect code. Check the latest SMS.`,
    code_expired: en`This code is no longer valid. Ask for a new one, or pay another way.`,
    code_unavailable: en`The operator is not answering. Wait a moment, then send the code again.`,
  },

  reviewTitle: en`Check your number`,
  payNow: (amount) => en`Pay ${amount}`,
  change: en`Change the number`,

  sendingTitle: (wallet) => en`${wallet} cannot be reached right now`,
  sendingWhat: (wallet) =>
    en`Nothing has been sent to your phone yet. We are trying again: ${wallet} will ask you then.`,

  pushTitle: en`Confirm on your phone`,
  pushSteps: (wallet, amount, phone) => [
    en`${wallet} sends a request for ${amount} to ${phone}.`,
    en`Check the amount, then type your secret PIN.`,
  ],
  comeBack: en`Come back here: the result shows by itself.`,
  example: en`Example. The real request shows on your phone, never on this page.`,
  promptAsk: (amount, shop) => en`Pay ${amount} to ${shop}?`,
  promptPin: en`Secret PIN`,
  promptNo: en`Cancel`,
  promptYes: en`Confirm`,
  nothingCame: en`Nothing came?`,
  nothingCameTips: (wallet) => [
    en`Check that this phone is on and has a signal.`,
    en`Open the ${wallet} app or menu: the request often waits there.`,
    en`Wait a minute. Do not pay elsewhere while this request is under way.`,
    en`If you refuse the request, you can choose another way to pay.`,
  ],
  check: en`Check my payment`,
  lookedAt: en`Last checked at`,
  updates: en`This page updates by itself.`,

  redirectTitle: (wallet) => en`Pay in ${wallet}`,
  redirectWhat: (amount) => en`Approve the payment of ${amount} in the app.`,
  redirectOpen: (wallet) => en`Open ${wallet}`,
  redirectSoon: (wallet) => en`Preparing your ${wallet} payment…`,
  redirectSoonWhat: en`The button appears in a few seconds.`,
  qrTitle: en`On a computer?`,
  qrWhat: en`Scan this code with your phone.`,
  otherWallet: en`Pay another way`,

  otpTitle: en`Enter the code from your SMS`,
  otpWhat: (wallet, phone) =>
    en`${wallet} sends a one-time code to ${phone}. It is not your secret PIN.
      The SMS may take a minute.`,
  otpLabel: en`Code received`,
  otpTries: (left) => (left === 1 ? en`This is the last attempt.` : en`${left} attempts left.`),
  otpSend: en`Confirm the code`,
  otpSpentTitle: en`This code is no longer valid`,
  otpSpentWhat: en`Ask for a new one, or pay another way.`,
  noCode: en`No code received?`,
  newCodeWhat: (left) =>
    left === 1
      ? en`A new code replaces this one, for the last time. You are charged only once.`
      : en`A new code replaces this one, ${left} times at most. You are charged only once.`,
  newCode: en`Get a new code`,

  checkingTitle: en`We are checking your payment`,
  dontPayTwice: en`Do not pay twice.`,
  checkingWhat: (wallet) =>
    en`${wallet} has not answered yet. This usually takes a few minutes. If you were charged, the
      payment will be recognised.`,
  checkingLeave: en`You may close this page: the result will stay at this address.`,

  paidTitle: en`Payment successful`,
  paidBefore: (when) => en`Already paid on ${when}`,
  paidTo: en`paid to`,
  receipt: en`Receipt`,
  share: en`Share the receipt`,
  copied: en`Link to the receipt copied`,
  print: en`Print the receipt`,
  back: en`Back to the shop`,
  backIn: en`Going back by itself in`,
  seconds: en`s`,
  stay: en`Stay here`,

  gaveUpTitle: en`Payment cancelled`,
  exhaustedTitle: en`The payment did not go through`,
  notDebited: en`You have not been charged.`,
  gaveUpWhat: (shop) => en`This link is closed. To pay, ask ${shop} for a new one.`,
  exhaustedWhat: (shop) => en`This link has no attempts left. Ask ${shop} for a new one.`,
  failureTitle: (wallet) => en`The payment with ${wallet} did not go through`,
  failures: {
    declined: en`The operator declined it.`,
    balance_low: en`The balance is too low.`,
    limit_reached: en`A limit of this account is reached.`,
    payer_not_found: en`This number has no account with this operator.`,
    payer_blocked: en`This account cannot make this payment: ask the operator.`,
    unavailable: en`The operator could not be reached.`,
    wrong_code: en`None of the codes entered was right.`,
    code_expired: en`No code was entered in time.`,
    payer_refused: en`The request was refused on the phone.`,
    payer_timeout: en`The request was not confirmed in time.`,
  },
  cancelled: en`It was cancelled before it was approved.`,
  tryAgain: (left) =>
    left === 1
      ? en`Try again, or pay another way. This is the last attempt.`
      : en`Try again, or pay another way. ${left} attempts left.`,

  expiredTitle: en`This link has expired`,
  expiredWhat: (until, shop) => en`It was payable until ${until}. Ask ${shop} for a new one.`,

  giveUpTitle: en`Cancel this payment?`,
  giveUpWhat: (shop) => en`This link will be of no further use. ${shop} will be told.`,
  giveUpYes: en`Yes, cancel`,
  giveUpNo: en`No, back to the payment`,

  tooLate: en`Your payment is already under way: it can no longer be cancelled here.`,

  unknownTitle: en`Link not found`,
  unknownWhat: en`Check that the address is complete, or ask the shop for the link again.`,
  elsewhereTitle: en`Page opened in the wrong place`,
  elsewhereWhat: en`This link is on another of our servers. Nothing was debited here. Open the link
    again in a moment.`,
  busyTitle: en`One moment`,
  busyWhat: (seconds) => en`Too many requests came at once. Try again in ${seconds} seconds.`,
  foreignWhat: en`This request does not come from our page. Open the payment link and start again.`,
  malformedTitle: en`Request not understood`,
  malformedWhat: en`This request could not be read. Open the payment link and start again.`,
  internalErrorTitle: en`Something went wrong on our side`,
  internalErrorWhat: en`Do not pay twice: a payment under way goes on by itself. Try again in a
    moment.`,
  open: en`Open the payment`,
  retry: en`Try again`,
}
