// campanile.js: a client of Campanile for browsers, Node.js and workers. The Client in JavaScript article describes it.
//
// Nothing that this module reaches uses a document, a window or a storage of the browser: those are options of the client.

export { afterClose, backoffDelay } from "./backoff.js";
export { CampanileClient } from "./campanileclient.js";
export { ServerClock } from "./clock.js";
export { MemoryStorage } from "./credentials.js";
export { RequestError, errorName } from "./errors.js";
export { LivePositions } from "./livepositions.js";
export { MemoryOutbox } from "./memoryoutbox.js";
export { cellTopic, fromUnit, toUnit, worldSize } from "./mercator.js";
export { AreaDecoder, FrameError, readFrame } from "./positions.js";
export { closeCodes, errorCodes, methodNames, ranges, textLengths, topics } from "./registry.js";
export { TrackUploader } from "./trackuploader.js";
export { PointError, encodePoints, isPointsReply, readPointsReply } from "./trackframe.js";
export { Uploader } from "./uploader.js";
export { uuid } from "./uuid.js";
