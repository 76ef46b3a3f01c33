import type { PartnerStatus, Status } from '#shared/contract/dashboard.ts'
import type { Device } from '#shared/contract/devices.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import type { Inspection, WorklistAsk } from '#shared/contract/worklist.ts'
import type { Feed } from './feed.ts'

export type VerdictFilter = 'all' | 'sent' | 'filtered' | 'withheld'

/** What came of asking the partner once, as a test. */
export interface PartnerTest {
  readonly success: boolean
  /** One sentence for the person who pressed the button. */
  readonly message: string
  readonly tookMs: number
  /** Items of the list; null where there was none. */
  readonly items: number | null
}

/** What the window needs of parts the dashboard may not import; `gateway.ts` fills it. */
export interface DashboardPorts {
  /** Asks the worklist as this device by the path a device's query takes; the query is recorded with the user. */
  readonly askWorklist: (ask: WorklistAsk, device: Device, user: SignedInUser) => Promise<Inspection>
  /** A recorded query with its rows of this verdict; undefined where it is unknown or no longer kept. */
  readonly inspection: (inspectionId: number, verdict: VerdictFilter) => Promise<Inspection | undefined>
  readonly listenerStatus: () => Status['listeners']
  readonly partnerStatus: () => PartnerStatus
  readonly testPartner: (user: SignedInUser) => Promise<PartnerTest>
  readonly openAssociations: () => number
  readonly feed: Feed
}
