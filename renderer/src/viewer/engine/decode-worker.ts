// The worker of Cornerstone's image loader, which decodes compressed frames. The package does not name it
// among its exports. Its `init` would start it, but it also empties the cache of decoded images, and brings
// loaders and another set of decoders into the page, where they are not used.
import '../../../../node_modules/@cornerstonejs/dicom-image-loader/dist/esm/decodeImageFrameWorker.js'
