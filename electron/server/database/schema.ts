import type { AccountTables } from './tables/accounts.ts'
import type { DeviceTables } from './tables/devices.ts'
import type { ImageTables } from './tables/images.ts'
import type { PartnerTables } from './tables/partner.ts'
import type { ReportTables } from './tables/reports.ts'
import type { StudyTables } from './tables/studies.ts'
import type { UpkeepTables } from './tables/upkeep.ts'
import type { ViewingTables } from './tables/viewing.ts'
import type { WorklistTables } from './tables/worklist.ts'

/**
 * Tables as kysely sees them: columns are named as the contract names the fields. Instants and days
 * are text, JSON is text.
 */
export interface Schema
  extends AccountTables,
    DeviceTables,
    PartnerTables,
    WorklistTables,
    ImageTables,
    StudyTables,
    ReportTables,
    ViewingTables,
    UpkeepTables {}
