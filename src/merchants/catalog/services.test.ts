import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { parseServiceCode, type Service, services } from './services.ts'

// code, name
const offer: [string, string][] = [
  ['WALLETA_SN_CASHIN', 'Wallet A Cash In Senegal'],
  ['WALLETA_SN_CASHOUT', 'Wallet A Cash Out Senegal'],
  ['WALLETB_SN_CASHIN', 'Wallet B Cash In Senegal'],
  ['WALLETB_SN_CASHOUT', 'Wallet B Cash Out Senegal'],
  ['WALLETC_SN_CASHIN', 'Wallet C Cash In Senegal'],
  ['WALLETC_SN_CASHOUT', 'Wallet C Cash Out Senegal'],
  ['WALLETD_SN_CASHIN', 'Wallet D Cash In Senegal'],
  ['WALLETD_SN_CASHOUT', 'Wallet D Cash Out Senegal'],
  ['WALLETA_ML_CASHOUT', 'Wallet A Cash Out Mali'],
  ['WALLETE_ML_CASHOUT', 'Wallet E Cash Out Mali'],
  ['WALLETB_ML_CASHOUT', 'Wallet B Cash Out Mali'],
  ['WALLETA_CI_CASHIN', "Wallet A Cash In Côte d'Ivoire"],
  ['WALLETA_CI_CASHOUT', "Wallet A Cash Out Côte d'Ivoire"],
  ['WALLETB_CI_CASHIN', "Wallet B Cash In Côte d'Ivoire"],
  ['WALLETB_CI_CASHOUT', "Wallet B Cash Out Côte d'Ivoire"],
  ['WALLETF_CI_CASHIN', "Wallet F Cash In Côte d'Ivoire"],
  ['WALLETF_CI_CASHOUT', "Wallet F Cash Out Côte d'Ivoire"],
  ['WALLETE_CI_CASHIN', "Wallet E Cash In Côte d'Ivoire"],
  ['WALLETE_CI_CASHOUT', "Wallet E Cash Out Côte d'Ivoire"],
  ['WALLETG_CI_CASHOUT', "Wallet G Cash Out Côte d'Ivoire"],
  ['WALLETA_CM_CASHOUT', 'Wallet A Cash Out Cameroon'],
  ['WALLETF_CM_CASHOUT', 'Wallet F Cash Out Cameroon'],
  ['OPERATOR1_SN_AIRTIME', 'Operator 1 Airtime Senegal'],
  ['OPERATOR2_SN_AIRTIME', 'Operator 2 Airtime Senegal'],
  ['OPERATOR3_SN_AIRTIME', 'Operator 3 Airtime Senegal'],
  ['OPERATOR4_SN_AIRTIME', 'Operator 4 Airtime Senegal'],
  ['WATER_SN_BILL', 'Water bill Senegal'],
  ['ELEC_SN_BILL', 'Electricity bill Senegal'],
  ['PREPAID_SN_BILL', 'Prepaid electricity top-up Senegal'],
]

test('the offer is these 29 services: 22 wallet, 4 airtime, 3 bills', () => {
  assert.deepEqual(
    services.map(({ code, name }) => [code, name]),
    offer,
  )
  const count = (type: Service['type']) => services.filter((one) => one.type === type).length
  assert.deepEqual(
    [offer.length, count('MOBILEMONEY'), count('AIRTIME'), count('BILL')],
    [29, 22, 4, 3],
  )
})

describe('every service', () => {
  for (const [code] of offer)
    it(`${code} has the provider, country, operation and type of its code`, () => {
      const service = parseServiceCode(code)
      assert.ok(service !== undefined)
      const { provider, country, operation } = service
      assert.equal(`${provider}_${country}_${operation}`, code)
      assert.equal(service.currency, country === 'CM' ? 'XAF' : 'XOF')
      assert.equal(service.isDebit, operation !== 'CASHOUT')
      const type = operation.startsWith('CASH') ? 'MOBILEMONEY' : operation
      assert.equal(service.type, type)
    })
})

describe('parseServiceCode refuses', () => {
  const codes = [
    '',
    'walleta_sn_cashin',
    'WALLETA_SN_cashin',
    ' WALLETA_SN_CASHIN',
    'WALLETA_SN_CASHIN ',
    'WALLETA_SN_CASHIN\n',
    'WALLETA SN CASHIN',
    'WALLETA_SN',
    'WALLETA_SN_CASHIN_',
    'WALLETA_ML_CASHIN',
    'WALLETA_CM_CASHIN',
    'WALLETG_CI_CASHIN',
    'WALLETC_CI_CASHOUT',
    'OPERATOR5_SN_AIRTIME',
    'WATER_CI_BILL',
    'all',
    'constructor',
    '__proto__',
    'toString',
    'hasOwnProperty',
  ]
  for (const code of codes)
    it(JSON.stringify(code), () => {
      assert.equal(parseServiceCode(code), undefined)
    })
})
