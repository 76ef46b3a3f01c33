// What Cornerstone3D does by itself: one stack of files, the wheel scrolls, nothing else.
// `?images=N&width=W&height=H`
import { Enums, init as initCore, RenderingEngine } from '@cornerstonejs/core'
import { init as initLoader } from '@cornerstonejs/dicom-image-loader'
import {
  addTool,
  init as initTools,
  StackScrollTool,
  Enums as ToolEnums,
  ToolGroupManager,
} from '@cornerstonejs/tools'

const asked = new URLSearchParams(location.search)
const element = document.getElementById('pane')
element.style.width = `${asked.get('width')}px`
element.style.height = `${asked.get('height')}px`
initCore()
initLoader({ maxWebWorkers: 2 })
initTools()
const engine = new RenderingEngine('bare')
engine.enableElement({ viewportId: 'pane', element, type: Enums.ViewportType.STACK })
addTool(StackScrollTool)
const group = ToolGroupManager.createToolGroup('bare')
group.addTool(StackScrollTool.toolName)
group.addViewport('pane', 'bare')
group.setToolActive(StackScrollTool.toolName, {
  bindings: [{ mouseButton: ToolEnums.MouseBindings.Wheel }],
})
const imageIds = Array.from(
  { length: Number(asked.get('images')) },
  (_, index) => `wadouri:${location.origin}/files/${index + 1}.dcm`,
)
const viewport = engine.getViewport('pane')
await viewport.setStack(imageIds)
// Every image once, so that what is measured is drawing, not loading.
for (let index = imageIds.length - 1; index >= 0; index--) await viewport.setImageIdIndex(index)
document.title = 'ready'
