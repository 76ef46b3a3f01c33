import { z } from 'zod'
import { ReceivedUid } from './values.ts'

/** Maximum number of rows and of columns of a layout. */
export const MAX_LAYOUT_SIDE = 4

/** The series of a pane of a hanging protocol. Null is a pane that stays empty. */
const HangingPane = z
  .object({
    /** Of the study itself, or of the prior study that is compared with it. */
    from: z.enum(['current', 'prior']),
    modality: z.string().max(16),
    /** Series Description of the series it was saved with; the most similar one is hung. */
    description: z.string().max(64),
    /** View Position and side of a projection image, such as `MLO` and `L`; empty if any. */
    viewPosition: z.string().max(16),
    laterality: z.string().max(1),
    /** Position of the series among those that are read, from 0, if no description is similar. */
    position: z.int().min(0).max(999),
  })
  .nullable()
export type HangingPane = z.infer<typeof HangingPane>

/**
 * A layout that a person has saved, with the studies for which it is used. The first protocol whose
 * conditions are all met is used when a study is opened (PS3.17 Z).
 */
export const HangingProtocol = z.object({
  protocolId: z.uuid(),
  name: z.string().trim().min(1).max(60),
  /** Modality of the study; empty for any. */
  modality: z.string().trim().max(16),
  /**
   * Body parts or words, any of which must occur in the study description, in a series description
   * or in Body Part Examined; none: any study.
   */
  words: z.array(z.string().trim().min(1).max(40)).max(10),
  /** Whether a comparable prior study must be known. */
  prior: z.enum(['any', 'with', 'without']),
  /** Number of series that are read, without localizers. */
  leastSeries: z.int().min(0).max(999),
  mostSeries: z.int().min(0).max(999).nullable(),
  rows: z.int().min(1).max(MAX_LAYOUT_SIDE),
  columns: z.int().min(1).max(MAX_LAYOUT_SIDE),
  panes: z.array(HangingPane).max(MAX_LAYOUT_SIDE * MAX_LAYOUT_SIDE),
  /** Whether the first series is shown in three planes (MPR) instead of the panes. */
  isPlanes: z.boolean(),
})
export type HangingProtocol = z.infer<typeof HangingProtocol>

/** Hanging protocols of a user, the first one that fits counts. */
export const HangingProtocols = z.object({
  /** 0 if there are none yet; incremented at each save. */
  revision: z.int().nonnegative(),
  protocols: z.array(HangingProtocol).max(100),
})
export type HangingProtocols = z.infer<typeof HangingProtocols>

/** A study of the patient in an archive that the gateway can retrieve from. */
export const ArchivePrior = z.object({
  destinationId: z.uuid(),
  destinationName: z.string(),
  studyInstanceUid: ReceivedUid,
  studyDescription: z.string(),
  modalities: z.array(z.string()),
  /** A DA, or empty. */
  studyDate: z.string(),
  instances: z.int().nullable(),
  /** Number of its instances that are here. */
  here: z.int(),
})
export type ArchivePrior = z.infer<typeof ArchivePrior>
