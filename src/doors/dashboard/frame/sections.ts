import type { IconName } from '#edge/pages/icons.ts'
import type { Action } from '#merchants/people/rights.ts'
import type { OpsSection, Section } from './words.ts'

/** An entry of the navigation: where it leads, and who sees it. */
export interface Entry<Name extends string = string> {
  name: Name
  href: string
  action: Action
  icon: IconName
}

/** The navigation of a client, in order. */
export const sections = entriesOf<Section>('/dashboard', [
  ['home', 'home.read', 'house'],
  ['transactions', 'transaction.read', 'exchange'],
  ['links', 'link.read', 'link'],
  ['pay', 'payment.make', 'send'],
  ['balance', 'balance.read', 'wallet'],
  ['batches', 'batch.read', 'list'],
  ['statements', 'balance.read', 'document'],
  ['sub-merchants', 'sub-merchant.read', 'shop'],
  ['developers', 'developer.read', 'brackets'],
  ['team', 'team.read', 'people'],
  ['audit', 'audit.read', 'log'],
  ['settings', 'settings.read', 'sliders'],
])

/** The navigation of an operator, in order. */
export const opsSections = entriesOf<OpsSection>('/dashboard/ops', [
  ['health', 'ops.read', 'pulse'],
  ['clients', 'ops.read', 'shop'],
  ['providers', 'ops.read', 'plug'],
  ['approvals', 'ops.read', 'approved'],
  ['transactions', 'ops.read', 'exchange'],
  ['parked', 'ops.read', 'question'],
  ['suspense', 'ops.read', 'hourglass'],
  ['ledger', 'ops.read', 'book'],
  ['recon', 'ops.recon.read', 'compare'],
  ['webhooks', 'ops.read', 'outgoing'],
  ['limits', 'ops.read', 'gauge'],
  ['float', 'ops.read', 'waves'],
  ['maintenance', 'ops.read', 'wrench'],
  ['mails', 'ops.read', 'envelope'],
  ['retention', 'ops.read', 'bin'],
  ['users', 'ops.read', 'people'],
  ['audit', 'ops.audit.read', 'log'],
])

/** Each has the address of its name; that of the first is where all begins. */
function entriesOf<Name extends string>(
  root: string,
  rows: [Name, Action, IconName][],
): Entry<Name>[] {
  return rows.map(([name, action, icon], index) => {
    const href = index === 0 ? root : `${root}/${name}`
    return { name, action, icon, href }
  })
}
