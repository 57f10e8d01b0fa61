import type { Page } from 'playwright-core'
import { testPassword } from '../dashboard.ts'
import type { MerchantStates } from './merchant-states.ts'
import type { OperatorStates } from './operator-states.ts'

/** Who looks at a screen; a guest is not signed in. */
export type Who =
  | 'guest'
  | 'owner'
  | 'newcomer'
  | 'support'
  | 'operator'
  | 'finance-operator'
  | 'absent-operator'

/** A screen of the dashboard, and how it is reached. */
export interface DashboardScene {
  who: Who
  /** After who looks, what is looked at. */
  name: string
  path: string
  /** What is done on the page at `path`; the screen is what comes then. */
  act?: (page: Page) => Promise<void>
  /** The HTTP status of the page at `path`. */
  status?: number
}

/** Screens that no link leads to as they are: filters, reviews, what is refused, what is empty. */
export function merchantScenes(made: MerchantStates): DashboardScene[] {
  const { payments, links, batches } = made
  const list = '/dashboard/transactions'
  const pay = (fields: Record<string, string>) =>
    `/dashboard/pay?${new URLSearchParams({ ...fields, step: 'review' }).toString()}`
  const payout = { kind: 'payout', service: 'WALLETA_SN_CASHIN' }
  return own('owner', [
    ['transactions-filtered', `${list}?status=FAILED&service=WALLETA_SN_CASHOUT`],
    ['transactions-all-columns', `${list}?hide=none`],
    ['transactions-nothing', `${list}?q=nothing-like-it`],
    ['transactions-wrong', `${list}?from=soon&number=abc`, 422],
    ...Object.entries(payments).map(([name, id]): Row => [`transaction-${name}`, `${list}/${id}`]),
    ['transaction-receipt', `${list}/${payments.paid}/receipt`],
    ['refund', `${list}/${payments.paid}/refund`],
    ['refund-review', `${list}/${payments.paid}/refund?amount=2000&reason=article+rendu`],
    ['refund-wrong', `${list}/${payments.paid}/refund?amount=9999999`, 422],
    ['refund-impossible', `${list}/${payments.poor}/refund`, 409],
    ['link-open', `/dashboard/links/${links.open}`],
    ['link-expire', `/dashboard/links/${links.open}/expire`],
    ['link-expired', `/dashboard/links/${links.expired}`],
    ['link-like', `/dashboard/links/new?like=${links.open}`],
    ['links-nothing', '/dashboard/links?q=nothing-like-it'],
    ['pay-airtime', '/dashboard/pay?kind=airtime'],
    ['pay-bill', '/dashboard/pay?kind=bill'],
    ['pay-meter', '/dashboard/pay?kind=meter'],
    ['pay-review', pay({ ...payout, to: '77 123 45 67', amount: '15000' })],
    ['pay-wrong', pay({ ...payout, to: '12', amount: '1' }), 422],
    ['pay-review-bill', pay({ kind: 'bill', service: 'ELEC_SN_BILL', to: '100000002' })],
    [
      'pay-review-meter',
      pay({ kind: 'meter', service: 'PREPAID_SN_BILL', to: '200000001', amount: '5000' }),
    ],
    ...Object.entries(batches).map(([name, path]): Row => [`batch-${name}`, path]),
    ['balance-filtered', '/dashboard/balance?from=2020-01-01&to=2020-02-01'],
    ['statement-range', '/dashboard/statements?from=2026-11-01&to=2026-11-10'],
    ['statement-wrong', '/dashboard/statements?from=2026-11-10&to=2026-11-01'],
    ['webhooks-undelivered', '/dashboard/developers/webhooks?state=pending'],
    ['requests-refused', '/dashboard/developers/requests?status=4xx'],
    ['audit-filtered', '/dashboard/audit?group=team'],
    ['unknown', '/dashboard/nothing-here', 404],
  ])
}

/** The same for operators. */
export function operatorScenes(made: OperatorStates, { payments }: MerchantStates) {
  const ops = '/dashboard/ops'
  const propose = (fields: Record<string, string>) =>
    `${ops}/approvals/new?${new URLSearchParams(fields).toString()}`
  const closing = 'scope=payments&until=2030-01-01T03:00&notice=De+retour+%C3%A0+3+h'
  const fund = { kind: 'fund', client: 'Boutique Démo', amount: '2500000', ref: 'virement 12' }
  const { own: mine, waiting, refused, approved } = made.approvals
  const { statements } = made
  return own('operator', [
    ['approval-own', mine],
    ['approval-waiting', waiting],
    ['approval-refused', refused],
    ['approval-approved', approved],
    ['approvals-all', `${ops}/approvals?state=all`],
    ['recon-statement', statements.statement],
    ['recon-kept', statements.kept],
    ['recon-mapping', statements.mapping],
    ['propose-adjust', propose({ kind: 'adjust' })],
    ['propose-resolve', propose({ kind: 'resolve', transaction: payments.waiting })],
    ['propose-send-back', propose({ kind: 'send_back', transaction: payments.late })],
    ['propose-review', propose({ ...fund, review: 'yes' })],
    ['propose-wrong', propose({ kind: 'adjust', amount: '1.5', review: 'yes' })],
    ['number', `${ops}/retention/number?number=770000008&country=SN`],
    ['number-forgotten', made.forgetting],
    ['number-wrong', `${ops}/retention/number?number=12`, 422],
    ['float-one', `${ops}/float?provider=WALLETA_SN`],
    ['provider-paused', `${ops}/providers/WALLETF_CM`],
    ['provider-resume', `${ops}/providers/WALLETF_CM/resume`],
    ['transactions-nothing', `${ops}/transactions?q=nothing-like-it`],
    ['transactions-wrong', `${ops}/transactions?client=nobody&number=abc`, 422],
    ['transaction-late', `${ops}/transactions/${payments.late}`],
    ['transaction-other-amount', `${ops}/transactions/${payments.otherAmount}`],
    ['transaction-waiting', `${ops}/transactions/${payments.waiting}`],
    ['clients-nothing', `${ops}/clients?q=nothing-like-it`],
    ['trial-balance', `${ops}/ledger?day=2100-01-01`],
    ['trial-balance-wrong', `${ops}/ledger?day=abc`, 422],
    ['audit-filtered', `${ops}/audit?group=client`],
    ['maintenance-review', `${ops}/maintenance?${closing}&review=yes`],
    ['maintenance-wrong', `${ops}/maintenance?review=yes`, 422],
    ['unknown', `${ops}/nothing-here`, 404],
  ])
}

/** What operators see before anything has happened. */
export const quietScenes = own(
  'operator',
  ['', 'parked', 'suspense', 'approvals', 'proof', 'limits', 'limits/blocks', 'webhooks'].map(
    (path): Row => [
      `quiet-${path.replace('/', '-') || 'health'}`,
      `/dashboard/ops${path === '' ? '' : `/${path}`}`,
    ],
  ),
)

/** Forms that come back because nothing is typed; those of operators are below /ops. */
export const refusedForms: DashboardScene[] = [
  'links/new',
  'sub-merchants/new',
  'team/invite',
  'settings',
  'account/password',
  'developers/keys/new',
  'batches',
  'ops/clients/new',
  'ops/limits',
  'ops/limits/blocks',
  'ops/users/invite',
  'ops/providers/WALLETA_SN/pause',
].map((page) => ({
  who: page.startsWith('ops/') ? 'operator' : 'owner',
  name: `${page.replace(/^ops\//, '').replaceAll(/[/_]/g, '-')}-refused`,
  path: `/dashboard/${page}`,
  act: async (shown) => {
    await shown.evaluate(`for (const one of document.querySelectorAll('main input, main textarea'))
      if (!['hidden', 'radio', 'checkbox'].includes(one.type)) one.value = ''
      for (const fold of document.querySelectorAll('main details.card')) fold.open = true
      for (const form of document.querySelectorAll('main form')) form.noValidate = true`)
    await shown.click(`main form[method=post][action="/dashboard/${page}"] button`)
    await shown.waitForSelector('[role=alert]')
  },
}))

/** What is asked of people who are not signed in. */
export function guestScenes(codes: { join: string; reset: string; email: string }) {
  const fill = (email: string, password: string) => async (page: Page) => {
    await page.fill('#email', email)
    await page.fill('#password', password)
    await page.click('main form button')
  }
  const scenes: DashboardScene[] = own('guest', [
    ['sign-in', '/dashboard/sign-in'],
    ['sign-in-passkey', '/dashboard/sign-in/passkey'],
    ['forgotten', '/dashboard/forgotten'],
    ['forgotten-sent', '/dashboard/forgotten?sent'],
    ['join', codes.join],
    ['join-over', '/dashboard/join/nothing', 404],
    ['reset', codes.reset],
    ['reset-over', '/dashboard/reset/nothing', 404],
  ])
  return [
    ...scenes,
    {
      who: 'guest',
      name: 'sign-in-refused',
      path: '/dashboard/sign-in',
      act: async (page) => {
        await fill('demo@passerelle.test', 'wrong')(page)
        await page.waitForSelector('[role=alert]')
      },
    },
    {
      who: 'guest',
      name: 'sign-in-code',
      path: '/dashboard/sign-in',
      act: async (page) => {
        await fill(codes.email, testPassword)(page)
        await page.waitForURL(/sign-in\/code/)
      },
    },
  ] satisfies DashboardScene[]
}

type Row = [name: string, path: string, status?: number]

function own(who: Who, rows: Row[]): DashboardScene[] {
  return rows.map(([name, path, status = 200]) => ({ who, name, path, status }))
}
