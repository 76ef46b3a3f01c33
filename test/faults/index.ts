import { commitment, performedSteps } from './devices.ts'
import devices from './dicom.ts'
import type { Fault } from './fault.ts'
import images from './images.ts'
import partnerInterface from './interface.ts'
import limits from './limits.ts'
import { users, viewing } from './people.ts'
import reports from './reports.ts'
import { deliveries, forwards } from './sending.ts'
import { application, backups, keys, logs } from './storage.ts'
import studies from './studies.ts'
import worklist from './worklist.ts'

/** Every fault that is planted, area by area. */
export const FAULTS: readonly Fault[] = [
  ...worklist,
  ...devices,
  ...images,
  ...commitment,
  ...performedSteps,
  ...studies,
  ...forwards,
  ...viewing,
  ...reports,
  ...deliveries,
  ...partnerInterface,
  ...users,
  ...keys,
  ...backups,
  ...application,
  ...logs,
  ...limits,
]
