// Ends a product whose tests ended without stopping it: standard input closes when they do, however that happens.
const group = -Number(process.argv[2]);
process.stdin.resume();
process.stdin.on('close', () => {
  try {
    process.kill(group, 'SIGINT');
  } catch (error) {
    if (error.code !== 'ESRCH') {
      throw error; // it has been stopped already, as it should
    }
  }
});
