"""What any model must be compared with: majority, lookup, TF-IDF with a linear SVM, Kneser-Ney n-grams, neighbours."""
