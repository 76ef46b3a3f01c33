import { BaseTool, type Types } from '@cornerstonejs/tools'

/** Screen pixels of a drag for one image. */
const STEP = 6

/**
 * Scrolls by dragging up and down. The panes scroll, and not Cornerstone: they know which images
 * are there.
 */
export class ScrollTool extends BaseTool {
  static override toolName = 'IsthmusScroll'
  static scroll: (viewportId: string, images: number) => void = () => undefined
  private left = 0

  constructor(
    toolProps: Types.PublicToolProps = {},
    defaultToolProps: Types.ToolProps = {
      supportedInteractionTypes: ['Mouse', 'Touch'],
      configuration: {},
    },
  ) {
    super(toolProps, defaultToolProps)
  }
  mouseDragCallback(event: {
    readonly detail: {
      readonly viewportId: string
      readonly deltaPoints: { readonly canvas: readonly number[] }
    }
  }): void {
    const { viewportId, deltaPoints } = event.detail
    this.left += deltaPoints.canvas[1] ?? 0
    const images = Math.trunc(this.left / STEP)
    if (images === 0) return
    this.left -= images * STEP
    ScrollTool.scroll(viewportId, images)
  }
  touchDragCallback(event: Parameters<ScrollTool['mouseDragCallback']>[0]): void {
    this.mouseDragCallback(event)
  }
}
