import { annotation, ToolGroupManager, type Types } from '@cornerstonejs/tools'

type TextLines = (data: Types.Annotation['data'], targetId: string) => readonly string[] | undefined

/**
 * What drawings measure, by their id, in the very lines that stand beside them on the image. Of one
 * whose image has not been shown yet, nothing: it is measured when it is drawn.
 */
export function measured(): ReadonlyMap<string, readonly string[]> {
  const lines = new Map<string, readonly string[]>()
  for (const { annotationUID: id, metadata, data } of annotation.state.getAllAnnotations()) {
    const targetId = Object.keys(data.cachedStats ?? {})[0]
    if (!metadata || id === undefined || targetId === undefined) continue
    const said = textLinesOf(metadata.toolName)?.(data, targetId)
    if (said) lines.set(id, said)
  }
  return lines
}

/** Every tool says its measurement by a function of its configuration. */
function textLinesOf(toolName: string): TextLines | undefined {
  for (const group of ToolGroupManager.getAllToolGroups()) {
    if (!group.hasTool(toolName)) continue
    const configuration: unknown = group.getToolInstance(toolName)?.configuration
    if (
      typeof configuration !== 'object' ||
      configuration === null ||
      !('getTextLines' in configuration)
    )
      continue
    if (typeof configuration.getTextLines === 'function')
      return configuration.getTextLines as TextLines
  }
  return undefined
}
