"""What the tasks on running text share: blocks, windows, scores, results and baselines. No task itself."""
