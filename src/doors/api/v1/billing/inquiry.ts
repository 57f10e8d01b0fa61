import type { Context } from '#doors/api/context.ts'
import { endpointRights } from '#doors/api/endpoint-rights.ts'
import { callerOf } from '#edge/http/caller.ts'
import type { Http } from '#edge/http/http.ts'
import { languageOf } from '#edge/http/language.ts'
import { doneAgain } from '#edge/idempotency/idempotency.ts'
import {
  InquiryAnswer,
  InquiryBody,
  InquiryNotFound,
  readBillService,
  writeInquiry,
  writeInquiryNotFound,
} from '#edge/wire/bill.ts'

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
