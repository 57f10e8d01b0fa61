import { type Html, html, type Piece } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { chargedFee } from '#edge/wire/failure.ts'
import type { Link } from '#money/links/link.ts'
import type { ListedTransaction } from '#money/transactions/marks-store.ts'
import { isDebit, type Transaction } from '#money/transactions/transaction.ts'
import { moment, money, phone, shortId, status } from '../frame/components.ts'
import { kindWord, providerWord } from '../frame/kinds.ts'
import { type Column, table } from '../frame/table.ts'
import type { AnyVisit } from '../frame/visit.ts'

/** The words of the columns; their keys are the names in `?hide=`. */
export const columnWords = inBoth({
  fr: {
    moment: 'Date',
    kind: fr`Opération`,
    number: fr`Numéro`,
    amount: 'Montant',
    fee: 'Frais',
    status: fr`État`,
    item: 'Article',
    customer: 'Client',
    payer: 'Client',
    ours: fr`Notre référence`,
    yours: fr`Votre référence`,
    shop: 'Point de vente',
    client: 'Marchand',
    theirs: fr`Réf. marchand`,
  },
  en: {
    moment: 'Date',
    kind: 'Operation',
    number: 'Number',
    amount: 'Amount',
    fee: 'Fee',
    status: 'Status',
    item: 'Item',
    customer: 'Customer',
    payer: 'Customer',
    ours: 'Our reference',
    yours: 'Your reference',
    shop: 'Sub-merchant',
    client: 'Merchant',
    theirs: 'Merchant’s reference',
  },
})

/** The columns that can be hidden. */
export const optionalColumns = ['item', 'number', 'fee', 'ours', 'yours', 'shop'] as const

/** Not shown unless the address says so: a list then fits on a desktop. */
export const hiddenByDefault: string[] = ['ours']

/** For whom rows are written: all that two people's rows of one client can differ by. */
export type RowReader = Pick<AnyVisit, 'language' | 'zone' | 'may'>

/** Where a transaction is shown, to a merchant or to an operator. */
export function transactionPath({ client }: Pick<AnyVisit, 'client'>, id: string): string {
  return `${client === null ? '/dashboard/ops/transactions' : '/dashboard/transactions'}/${id}`
}

/** The names of a client's sub-merchants, by their ids. */
export type ShopNames = ReadonlyMap<string, string>

/** What the links tell that payments, or those they send back, were made through. */
export type LinksBehind = ReadonlyMap<
  string,
  Pick<Link, 'itemName' | 'customerName' | 'externalId'>
>

/** The merchant's own reference of a payment, or that of its link. */
export function ownReference(
  { id, externalId }: Pick<Transaction, 'id' | 'externalId'>,
  links: LinksBehind,
): string | null {
  return externalId ?? links.get(id)?.externalId ?? null
}

/** The name of a transaction's row, by which an open page knows it again. */
export function rowId({ id }: Pick<Transaction, 'id'>): string {
  return `t-${id}`
}

/** What the rows of a list say in words; for operators with the names of their clients. */
export interface RowNames {
  shops: ShopNames
  links: LinksBehind
  clients?: ReadonlyMap<number, string>
}

/** The columns of a list of transactions. */
export function transactionColumns(
  reader: RowReader,
  { shops, links, clients }: RowNames,
): Column<ListedTransaction>[] {
  const { language } = reader
  const words = columnWords[language]
  const isOps = clients !== undefined
  const base = isOps ? '/dashboard/ops/transactions' : '/dashboard/transactions'
  return [
    {
      key: 'kind',
      name: words.kind,
      isTitle: true,
      cell: ({ id, operation, serviceCode }) =>
        html`<a href="${base}/${id}">${kindWord(language, operation)}</a>
<small>${providerWord(language, serviceCode)}</small>`,
    },
    ...(isOps ? [clientColumn(words.client, clients)] : []),
    { key: 'moment', name: words.moment, cell: (one) => moment(reader, one.createdAt) },
    ...(links.size === 0 ? [] : [itemColumn(words.item, links)]),
    {
      key: 'number',
      name: words.payer,
      cell: (one) =>
        html`${someText(links.get(one.id)?.customerName)}
<span class="money">${phone(reader, one.phone, one.serviceCode)}</span>`,
    },
    { key: 'amount', name: words.amount, isNumeric: true, cell: (one) => money(signed(one)) },
    { key: 'fee', name: words.fee, isNumeric: true, cell: (one) => money(-chargedFee(one)) },
    { key: 'status', name: words.status, cell: (one) => status(language, one.status) },
    { key: 'ours', name: words.ours, cell: (one) => shortId(language, one.id) },
    {
      key: 'yours',
      name: isOps ? words.theirs : words.yours,
      cell: (one) => {
        const text = ownReference(one, links)
        return text !== null && shortId(language, text)
      },
    },
    {
      key: 'shop',
      name: words.shop,
      cell: ({ subMerchantId }) =>
        subMerchantId !== null && html`<bdi>${shops.get(subMerchantId) ?? subMerchantId}</bdi>`,
    },
  ]
}

/** Only where a row has one: most lists have no room to spare. */
function itemColumn(name: string, links: LinksBehind): Column<{ id: string }> {
  return { key: 'item', name, cell: ({ id }) => someText(links.get(id)?.itemName) }
}

/** A text of somebody, or nothing. */
export function someText(text: string | null | undefined): Piece {
  return text !== null && text !== undefined && html`<bdi>${text}</bdi>`
}

function clientColumn(
  name: string,
  clients: ReadonlyMap<number, string>,
): Column<{ clientId: number }> {
  return {
    name,
    cell: ({ clientId }) => html`<bdi>${clients.get(clientId) ?? String(clientId)}</bdi>`,
  }
}

/** What a transaction adds to the merchant's account, or takes from it. */
export function signed(transaction: Pick<Transaction, 'operation' | 'amount'>): number {
  return isDebit(transaction) ? -transaction.amount : transaction.amount
}

/** What it changed in the merchant's account: nothing unless it has succeeded. */
export function netOf(transaction: Transaction): number {
  return transaction.status === 'SUCCESS' ? signed(transaction) - transaction.fee : 0
}

interface RowsOptions extends RowNames {
  caption: string
  hidden?: string[]
}

/** A list of transactions. */
export function transactionTable(
  reader: RowReader,
  transactions: ListedTransaction[],
  { caption, hidden = hiddenByDefault, ...names }: RowsOptions,
): Html {
  return table(transactions, transactionColumns(reader, names), {
    caption,
    hidden,
    idOf: rowId,
    isBrief: true,
  })
}
