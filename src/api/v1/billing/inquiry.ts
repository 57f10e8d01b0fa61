import { callerOf } from '../../../http/caller.ts'
import type { Http } from '../../../http/http.ts'
import { doneAgain } from '../../../http/idempotency.ts'
import { languageOf } from '../../../http/language.ts'
import {
  InquiryAnswer,
  InquiryBody,
  InquiryNotFound,
  readBillService,
  writeInquiry,
  writeInquiryNotFound,
} from '../../../wire/bill.ts'
import type { Context } from '../../context.ts'
import { endpointRights } from '../../endpoint-rights.ts'

export default function inquireBill(http: Http, { bills, clients }: Context): void {
  http.post(
    '/api/v1/billing/inquiry',
    {
      schema: {
        operationId: 'inquireBill',
        summary: 'Bill inquiry',
        description: 'What a customer owes, or whose prepaid meter it is. Nothing is paid.',
        tags: ['Bills'],
        body: InquiryBody,
        response: { 200: InquiryAnswer, 400: InquiryNotFound },
      },
      config: { rights: endpointRights.inquireBill, repetition: doneAgain },
    },
    async (request, reply) => {
      const contract = await clients.contractOf(callerOf(request).clientId)
      const { service } = readBillService(request.body, contract)
      const customer = await bills.inquire(service, request.body.reference_client)
      if (customer !== undefined) return writeInquiry(customer)
      reply.code(400)
      return writeInquiryNotFound(languageOf(request), request.id)
    },
  )
}
