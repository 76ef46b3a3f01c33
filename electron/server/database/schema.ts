import type { Selectable } from 'kysely'
import type { AccountTables } from './tables/accounts.ts'
import type { CorrectionTables } from './tables/corrections.ts'
import type { DeviceTables } from './tables/devices.ts'
import type { ImageTables } from './tables/images.ts'
import type { LifecycleTables } from './tables/lifecycle.ts'
import type { PartnerTables } from './tables/partner.ts'
import type { ReportTables } from './tables/reports.ts'
import type { StudyTables } from './tables/studies.ts'
import type { TierTables } from './tables/tiers.ts'
import type { ViewingTables } from './tables/viewing.ts'
import type { WorklistTables } from './tables/worklist.ts'

/**
 * Table types for kysely. Columns have the names of the contract's fields. Instants, days and JSON
 * are text.
 */
export interface Schema
  extends AccountTables,
    DeviceTables,
    PartnerTables,
    WorklistTables,
    ImageTables,
    CorrectionTables,
    LifecycleTables,
    TierTables,
    StudyTables,
    ReportTables,
    ViewingTables {
  settings: { key: string; value: string; updatedAt: string }
  auditEntries: {
    seq: number
    at: string
    actor: string
    action: string
    target: string
    sealedDetail: Buffer
    hash: Buffer
  }
  auditHead: { id: 1; sealed: Buffer }
  auditUnkeyed: { id: 1 }
  auditSending: { id: 1; seq: number }
  secrets: { name: string; sealed: Buffer; updatedAt: string }
  downtime: {
    id: 1
    since: string
    until: string
    userId: string
    userName: string
    sealedReason: Buffer
  }
}

/** A row of a table as it is read (decision 0039). */
export type Row<Table extends keyof Schema> = Selectable<Schema[Table]>
