// Prints the images of a release as JSON, for the matrix of the release workflow.
import { IMAGES } from './read-release.mjs';

console.log(JSON.stringify(IMAGES));
