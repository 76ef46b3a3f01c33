import type { Slab, SlabKind } from './engine/pane.ts'

export const SLAB_KINDS: readonly SlabKind[] = ['slice', 'maximum', 'minimum', 'average']
/** Millimetres that are offered. */
export const THICKNESSES = [3, 5, 10, 20, 30, 50] as const
const DEFAULT_THICKNESS = 10

/** A plane seen in another way, as thick as before. */
export const slabOfKind = ({ millimetres }: Slab, kind: SlabKind): Slab => ({
  kind,
  millimetres: millimetres > 0 ? millimetres : DEFAULT_THICKNESS,
})

/** A plane of another thickness; one without becomes a MIP. */
export const slabOfThickness = ({ kind }: Slab, millimetres: number): Slab => ({
  kind: kind === 'slice' ? 'maximum' : kind,
  millimetres,
})

/** The next way of seeing a plane, around. */
export const slabAfter = (slab: Slab): Slab =>
  slabOfKind(slab, SLAB_KINDS[(SLAB_KINDS.indexOf(slab.kind) + 1) % SLAB_KINDS.length] ?? 'slice')
