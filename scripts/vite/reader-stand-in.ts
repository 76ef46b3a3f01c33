// In place of vtk's reader of surfaces in XML, of which Cornerstone makes one for a mesh in such a file.
export default {
  newInstance(): never {
    throw new Error('The viewer reads no surfaces.')
  },
}
