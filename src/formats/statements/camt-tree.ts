/** An element that is read: what its text is kept as, what ends with it, and what is in it. */
export interface CamtNode {
  key: string | undefined
  ends: 'charge' | 'charges' | 'transaction' | 'entry' | 'balance' | 'statement' | undefined
  children: Map<string, CamtNode>
}

// A text is kept under this name; `$` names a whole that ends with its element, and `_` the name
// of an element's own text where some versions have elements in it instead.
type Spec = { $?: CamtNode['ends']; _?: string } & { [name: string]: Spec | string | undefined }

const charge: Spec = { Amt: 'chargeAmount', CdtDbtInd: 'chargeSide', ChrgInclInd: 'isIncluded' }
// Version 02 has one charge in each element, later ones a record for each.
const charges: Spec = {
  $: 'charges',
  TtlChrgsAndTaxAmt: 'chargeTotal',
  ...charge,
  Rcrd: { $: 'charge', ...charge, Tax: { Amt: 'chargeTax' } },
}
const code: Spec = {
  Domn: { Cd: 'domain', Fmly: { Cd: 'family', SubFmlyCd: 'subFamily' } },
  Prtry: { Cd: 'code' },
}
// Later versions put a party into an element of its own.
const party = (name: string): Spec => ({
  CtctDtls: { MobNb: `${name}Phone` },
  Pty: { CtctDtls: { MobNb: `${name}Phone` } },
})
const account = (name: string): Spec => ({
  Id: { IBAN: `${name}Account`, Othr: { Id: `${name}Account` } },
})

const transaction: Spec = {
  $: 'transaction',
  Refs: {
    AcctSvcrRef: 'reference',
    InstrId: 'instructionId',
    EndToEndId: 'endToEndId',
    TxId: 'transactionId',
  },
  Amt: 'amount',
  CdtDbtInd: 'side',
  AmtDtls: { TxAmt: { Amt: 'transactionAmount' } },
  BkTxCd: code,
  Chrgs: charges,
  RltdPties: {
    Dbtr: party('debtor'),
    DbtrAcct: account('debtor'),
    Cdtr: party('creditor'),
    CdtrAcct: account('creditor'),
  },
  RltdDts: { AccptncDtTm: 'acceptedAt', TxDtTm: 'transactionAt' },
  RtrInf: { Rsn: { Cd: 'returnReason', Prtry: 'returnReason' } },
}

const document: Spec = {
  BkToCstmrStmt: {
    Stmt: {
      $: 'statement',
      Id: 'statementId',
      Acct: { Id: { IBAN: 'account', Othr: { Id: 'account' } }, Ccy: 'accountCurrency' },
      TxsSummry: { TtlNtries: { NbOfNtries: 'entryCount' } },
      Bal: {
        $: 'balance',
        Tp: { CdOrPrtry: { Cd: 'balanceType' } },
        Amt: 'balanceAmount',
        CdtDbtInd: 'balanceSide',
        Dt: { Dt: 'balanceDate', DtTm: 'balanceMoment' },
      },
      Ntry: {
        $: 'entry',
        NtryRef: 'entryReference',
        Amt: 'amount',
        CdtDbtInd: 'side',
        RvslInd: 'isReversal',
        Sts: { _: 'status', Cd: 'status', Prtry: 'status' },
        BookgDt: { Dt: 'bookedOn', DtTm: 'bookedAt' },
        ValDt: { Dt: 'valueOn', DtTm: 'valueAt' },
        AcctSvcrRef: 'reference',
        BkTxCd: code,
        Chrgs: charges,
        NtryDtls: { TxDtls: transaction },
      },
    },
  },
}

function nodeOf(spec: Spec | string): CamtNode {
  if (typeof spec === 'string') return { key: spec, ends: undefined, children: new Map() }
  const { $: ends, _: key, ...rest } = spec
  const children = Object.entries(rest).flatMap(([name, one]): [string, CamtNode][] =>
    one === undefined ? [] : [[name, nodeOf(one)]],
  )
  return { key, ends, children: new Map(children) }
}

/** What is in a `Document`, in all versions of camt.053. */
export const camtDocument = nodeOf(document)
