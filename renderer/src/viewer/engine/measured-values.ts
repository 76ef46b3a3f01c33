import { annotation } from '@cornerstonejs/tools'
import type { DrawingKind, SavedDrawing } from '#shared/contract/saved-drawings.ts'

type Value = SavedDrawing['values'][number]
type Stats = Readonly<Record<string, unknown>>
type Field = readonly [quantity: Value['quantity'], value: string, unit: string]

/** Quantity, the field of its value and the field of its unit; an angle is in degrees. */
const STATISTICS: readonly Field[] = [
  ['area', 'area', 'areaUnit'],
  ['perimeter', 'perimeter', 'unit'],
  ['mean', 'mean', 'modalityUnit'],
  ['deviation', 'stdDev', 'modalityUnit'],
  ['minimum', 'min', 'modalityUnit'],
  ['maximum', 'max', 'modalityUnit'],
]
const FIELDS: Readonly<Partial<Record<DrawingKind, readonly Field[]>>> = {
  length: [['length', 'length', 'unit']],
  line: [['length', 'length', 'unit']],
  bidirectional: [
    ['longAxis', 'length', 'unit'],
    ['shortAxis', 'width', 'unit'],
  ],
  angle: [['angle', 'angle', '']],
  cobb: [['cobbAngle', 'angle', '']],
  rectangle: STATISTICS,
  ellipse: STATISTICS,
  circle: STATISTICS.filter(([quantity]) => quantity !== 'perimeter'),
  freehand: STATISTICS,
  probe: [['value', 'value', 'modalityUnit']],
}

/**
 * What Cornerstone has measured of a drawing, as it is shown beside it; empty if its image has not
 * been shown yet, and where there is nothing to measure.
 */
export function valuesOf(id: string, kind: DrawingKind): Value[] {
  const stats = Object.values(annotation.state.getAnnotation(id)?.data.cachedStats ?? {})[0] as
    | Stats
    | undefined
  return (FIELDS[kind] ?? []).flatMap(([quantity, field, unitField]): Value[] => {
    const value = stats?.[field]
    if (typeof value !== 'number' || !Number.isFinite(value)) return []
    return [
      { quantity, ...inContractUnit(value, unitField === '' ? 'deg' : String(stats?.[unitField])) },
    ]
  })
}

/** In a unit of the contract. Cornerstone writes `mm Proj` and `cm²`. */
function inContractUnit(value: number, written: string): Pick<Value, 'value' | 'unit'> {
  const unit = written.split(' ')[0] ?? ''
  const isArea = /[²2]$/.test(unit)
  if (unit === 'deg') return { value, unit }
  if (unit === 'HU') return { value, unit }
  if (unit.startsWith('mm')) return { value, unit: isArea ? 'mm2' : 'mm' }
  if (unit.startsWith('cm'))
    return isArea ? { value: value * 100, unit: 'mm2' } : { value: value * 10, unit: 'mm' }
  if (unit.startsWith('px')) return { value, unit: isArea ? 'px2' : 'px' }
  return { value, unit: 'none' }
}
