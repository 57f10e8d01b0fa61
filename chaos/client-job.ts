/** A merchant that the load acts for. Its client is found by its name. */
export interface Merchant {
  name: string
  apiKey: string
  webhookSecret: string
}

/** One kind of payment of the load, and how often it is chosen beside the others. */
export interface Choice {
  service: string
  number: string
  weight: number
}

/** What a load client is told: which plan it follows, on which gateways, and how much of it. */
export interface ClientJob {
  /** Unique in the run: part of every external id. */
  name: string
  plan: string
  journalPath: string
  gatewayUrls: string[]
  merchants: Merchant[]
  webhookUrl: string
  seed: number
  /** Payments a second of plans with a rate. */
  rate: number
  /** When a plan with a rate stops by itself. */
  seconds: number
  /** How many units of work plans without a rate do. */
  count: number
  /** What is paid, where the plan leaves it open. */
  choices: Choice[]
  /** Anything else that a plan needs. */
  more: Record<string, unknown>
}

/** What a load client has reached so far: a line of its output every second. */
export interface ClientProgress {
  sent: number
  /** Payments that were acknowledged by a 201, or by a 409 with the record of a repeated one. */
  acknowledged: number
  /** How many requests got which status; 0 stands for no answer. */
  statuses: Record<string, number>
  isOver: boolean
  /** What the plan reports at its end. */
  outcome?: unknown
}
