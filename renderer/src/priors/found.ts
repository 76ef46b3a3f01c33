import type { dashboardDestinations } from '#shared/contract/destinations.ts'
import type { ReplyOf } from '#shared/operation.ts'

/** What was found, and where: a study is fetched from the system that named it. */
export interface Found extends ReplyOf<typeof dashboardDestinations.findPriors> {
  readonly destinationId: string
}
